// Decides how the process of the exhaustive search starts: TypeScript is compiled as it loads.
import process from "node:process";
import { register } from "tsx/esm/api";

register();
const { runJobOf } = await import("./exhaustive-job.ts");
await runJobOf(process);
