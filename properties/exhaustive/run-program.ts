// How another program is run: within a time, its output kept, a missing one told by name.
import { spawn } from "node:child_process";

export type ProgramOutcome =
  | {
      readonly kind: "ended";
      readonly program: string;
      readonly exitCode: number;
      /** What it printed to both streams; the head and the tail of it where that is over a megabyte. */
      readonly output: string;
      readonly durationMs: number;
    }
  | { readonly kind: "timed out"; readonly program: string; readonly seconds: number }
  | { readonly kind: "missing"; readonly program: string };

export interface ProgramRun {
  readonly program: string;
  readonly arguments: readonly string[];
  readonly folder: string;
  /** The program is killed after so long. */
  readonly seconds: number;
}

const mostOutput = 1_000_000;

/** Those of the programs that are not installed. */
export async function missingPrograms(names: readonly string[]): Promise<readonly string[]> {
  const probes = await Promise.all(
    names.map((program) =>
      runProgram({ program, arguments: ["--version"], folder: ".", seconds: 10 }),
    ),
  );
  return probes.flatMap((each) => (each.kind === "missing" ? [each.program] : []));
}

export function runProgram(run: ProgramRun): Promise<ProgramOutcome> {
  const { program, seconds } = run;
  return new Promise((resolve, reject) => {
    const begun = performance.now();
    const child = spawn(program, run.arguments, {
      cwd: run.folder,
      stdio: ["ignore", "pipe", "pipe"],
    });
    // Not the option of spawn: Node leaves that timer running, and so the process, where there is no such program.
    const timer = setTimeout(() => child.kill("SIGKILL"), seconds * 1000);
    let output = "";
    const keep = (chunk: Buffer) => {
      output += chunk.toString("utf8");
      if (output.length > 2 * mostOutput) {
        output = output.slice(0, mostOutput / 2) + output.slice(-mostOutput / 2);
      }
    };
    child.stdout.on("data", keep);
    child.stderr.on("data", keep);
    child.on("error", (error: NodeJS.ErrnoException) => {
      clearTimeout(timer);
      if (error.code === "ENOENT") resolve({ kind: "missing", program });
      else reject(error);
    });
    child.on("close", (exitCode, signal) => {
      clearTimeout(timer);
      const durationMs = performance.now() - begun;
      if (signal === "SIGKILL" && durationMs >= seconds * 1000) {
        resolve({ kind: "timed out", program, seconds });
      } else {
        resolve({ kind: "ended", program, exitCode: exitCode ?? 1, output, durationMs });
      }
    });
  });
}
