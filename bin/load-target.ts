// Decides whether a file is a target: loads the module and looks for each member of a StoreTarget.
import { existsSync, realpathSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { StoreTarget } from "../properties/target.ts";
import { describeError, refuse, type Refusal } from "./refusal.ts";
import { shown } from "./option-values.ts";

export interface LoadedTarget {
  readonly kind: "loaded";
  readonly target: StoreTarget;
  /** Absolute, symbolic links resolved. */
  readonly path: string;
}

/** How long a module may take to load: one with a top-level `await` may never be done. */
const loadingBoundMs = 30_000;

/** Loads the target that `file` exports as its default; relative paths start at `cwd`. */
export async function loadTarget(file: string, cwd: string): Promise<LoadedTarget | Refusal> {
  const field = `--target=${shown(file)}`;
  const path = resolve(cwd, file);
  if (!existsSync(path)) {
    return refuse(`the target does not exist: ${field}; name a module such as ./my-target.ts`);
  }
  if (!statSync(path).isFile()) {
    return refuse(`the target is not a file: ${field}; name a module such as ./my-target.ts`);
  }
  const realPath = realpathSync(path);
  const module = await importBounded(pathToFileURL(realPath).href);
  if (module.kind === "failed") {
    return refuse(`the target does not load: ${field}, error=${module.problem}; mend the module`);
  }
  const target = defaultExport(module.exports);
  if (target === undefined) {
    return refuse(`the target has no default export: ${field}; export default a StoreTarget`);
  }
  const problem = problemOf(target);
  if (problem !== null) {
    return refuse(
      `the default export is no StoreTarget: ${field}, ${problem}; see latchkey/target for its members`,
    );
  }
  return { kind: "loaded", target: target as StoreTarget, path: realPath };
}

type Imported =
  | { readonly kind: "imported"; readonly exports: unknown }
  | { readonly kind: "failed"; readonly problem: string };

async function importBounded(url: string): Promise<Imported> {
  let timer: NodeJS.Timeout | undefined;
  const bound = new Promise<Imported>((done) => {
    const problem = `it was still loading after ${loadingBoundMs / 1000} s`;
    timer = setTimeout(() => done({ kind: "failed", problem }), loadingBoundMs);
  });
  const imported = import(url).then(
    (exports: unknown): Imported => ({ kind: "imported", exports }),
    (error: unknown): Imported => ({ kind: "failed", problem: describeError(error) }),
  );
  try {
    return await Promise.race([imported, bound]);
  } finally {
    clearTimeout(timer);
  }
}

/** The default export; of a module that was compiled to CommonJS, the one inside. */
function defaultExport(exports: unknown): unknown {
  const outer = memberOf(exports, "default");
  return memberOf(outer, "__esModule") === true ? memberOf(outer, "default") : outer;
}

const capabilityNames = [
  "ownerTokens",
  "fingerprints",
  "replay",
  "crash",
  "exactClock",
] as const satisfies readonly (keyof StoreTarget["capabilities"])[];

/** Which member is missing or of the wrong type, as `field=value`; null for a StoreTarget. */
function problemOf(target: unknown): string | null {
  if (typeof target !== "object" || target === null) return `default=${typeName(target)}`;
  const name = memberOf(target, "name");
  if (typeof name !== "string" || name === "") return `name=${typeName(name)}`;
  if (typeof memberOf(target, "open") !== "function") {
    return `open=${typeName(memberOf(target, "open"))}`;
  }
  const capabilities = memberOf(target, "capabilities");
  if (typeof capabilities !== "object" || capabilities === null) {
    return `capabilities=${typeName(capabilities)}`;
  }
  const wrong = capabilityNames.find((key) => typeof memberOf(capabilities, key) !== "boolean");
  return wrong === undefined
    ? null
    : `capabilities.${wrong}=${typeName(memberOf(capabilities, wrong))}`;
}

function memberOf(value: unknown, key: string): unknown {
  const hasMembers = typeof value === "function" || (typeof value === "object" && value !== null);
  return hasMembers ? Reflect.get(value, key) : undefined;
}

function typeName(value: unknown): string {
  if (value === undefined) return "missing";
  if (value === "") return '""';
  return value === null ? "null" : typeof value;
}
