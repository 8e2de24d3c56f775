// Loads the TypeScript of a searching thread; a thread does not inherit the loader of its parent.
import { register } from "tsx/esm/api";

register();
await import("./search-worker.ts");
