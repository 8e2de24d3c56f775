// Decides where results may be written: each path is tried before the work, not after it.
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, isAbsolute, relative, resolve, sep } from "node:path";
import { describeError, refuse, type Refusal } from "./refusal.ts";
import { shown } from "./option-values.ts";

export interface OutputPaths {
  readonly kind: "writable";
  /** Absolute, as are the others. */
  readonly outDir: string;
  readonly jsonFile: string | null;
  readonly junitFile: string | null;
}

/** Makes the folders that are missing, and tries each path for writing. */
export function prepareOutputPaths(
  wanted: {
    readonly outDir: string;
    readonly jsonFile: string | null;
    readonly junitFile: string | null;
  },
  cwd: string,
): OutputPaths | Refusal {
  const outDir = resolve(cwd, wanted.outDir);
  const jsonFile = wanted.jsonFile === null ? null : resolve(cwd, wanted.jsonFile);
  const junitFile = wanted.junitFile === null ? null : resolve(cwd, wanted.junitFile);
  const problem =
    tryFolder("--out", wanted.outDir, outDir) ??
    (jsonFile === null ? null : tryFile("--json", wanted.jsonFile ?? "", jsonFile)) ??
    (junitFile === null ? null : tryFile("--junit", wanted.junitFile ?? "", junitFile));
  if (problem !== null) return problem;
  if (jsonFile !== null && jsonFile === junitFile) {
    return refuse(`two results would share one file: --json=--junit=${shown(jsonFile)}; name two`);
  }
  return { kind: "writable", outDir, jsonFile, junitFile };
}

/** Writes a text whose path was tried; a disk that filled up meanwhile is a refusal. */
export function writeText(path: string, text: string): Refusal | null {
  try {
    makeFolder(dirname(path));
    writeFileSync(path, text);
    return null;
  } catch (error) {
    return refuse(`a result could not be written: file=${path}, error=${describeError(error)}`);
  }
}

/** A path as a person at `cwd` would type it, with forward slashes. */
export function pathFrom(cwd: string, path: string): string {
  const fromHere = relative(cwd, path);
  const isBelow = fromHere !== "" && !fromHere.startsWith("..") && !isAbsolute(fromHere);
  return (isBelow ? fromHere : path).split(sep).join("/");
}

/**
 * Makes a folder and what is missing above it, one after another: `mkdirSync` with `recursive`
 * never returns where a parent exists and takes no folder (`/proc/x` on Linux, Node 20).
 */
function makeFolder(path: string): void {
  const missing: string[] = [];
  for (let folder = path; !existsSync(folder); folder = dirname(folder)) {
    missing.unshift(folder);
    if (folder === dirname(folder)) break;
  }
  for (const folder of missing) mkdirSync(folder);
}

function tryFolder(option: string, given: string, path: string): Refusal | null {
  try {
    if (existsSync(path) && !statSync(path).isDirectory()) {
      return refuse(`the folder is a file: ${option}=${shown(given)}; name a folder`);
    }
    makeFolder(path);
    accessSync(path, constants.W_OK | constants.X_OK);
    return null;
  } catch (error) {
    return unwritable(option, given, error);
  }
}

/** Makes the folders above a file that are missing, and tries the file for writing; null where it can be written. */
export function tryFile(option: string, given: string, path: string): Refusal | null {
  try {
    const isNew = !existsSync(path);
    if (!isNew && statSync(path).isDirectory()) {
      return refuse(`the file is a folder: ${option}=${shown(given)}; name a file`);
    }
    makeFolder(dirname(path));
    closeSync(openSync(path, "a"));
    if (isNew) rmSync(path);
    return null;
  } catch (error) {
    return unwritable(option, given, error);
  }
}

function unwritable(option: string, given: string, error: unknown): Refusal {
  return refuse(
    `the path cannot be written: ${option}=${shown(given)}, error=${describeError(error)}; name another`,
  );
}
