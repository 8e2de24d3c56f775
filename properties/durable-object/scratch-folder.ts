// Where the harness keeps the objects' files, and that they are gone when the process ends.
import { accessSync, constants, mkdtempSync, rmSync } from "node:fs";
import { constants as system, tmpdir } from "node:os";
import { join } from "node:path";

export interface ScratchFolder {
  readonly path: string;
  remove(): void;
}

/** A fresh folder in memory where there is such a place, else among the temporary files. */
export function makeScratchFolder(): ScratchFolder {
  watchForEnd();
  const path = mkdtempSync(join(isWritable("/dev/shm") ? "/dev/shm" : tmpdir(), "latchkey-"));
  leftOver.add(path);
  return {
    path,
    remove: () => {
      leftOver.delete(path);
      removeFolder(path);
    },
  };
}

const leftOver = new Set<string>();
let watches = false;

/** Also when the process ends by an error or a signal; nothing helps against `kill -9`. */
function watchForEnd(): void {
  if (watches) return;
  watches = true;
  process.on("exit", () => leftOver.forEach(removeFolder));
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    const end = (): void => {
      // A signal that nobody else takes ends the process as it would have without us, but by
      // `exit`, so that workerd is stopped and its files are removed.
      if (process.listeners(signal).every((listener) => listener === end)) {
        process.exit(128 + system.signals[signal]);
      }
    };
    process.on(signal, end);
  }
}

function removeFolder(path: string): void {
  rmSync(path, { recursive: true, force: true, maxRetries: 5 });
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
