// Decides how the thread of the exhaustive search starts: TypeScript is compiled as it loads.
import { parentPort, workerData } from "node:worker_threads";
import { register } from "tsx/esm/api";

register();
const { runJob } = await import("./exhaustive-job.ts");
await runJob(workerData, parentPort);
