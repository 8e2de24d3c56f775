// Measures searches in a process of their own, as the checkers that they are compared with run: no garbage and no compiled code of others counts.
import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath, pathToFileURL } from "node:url";
import { checkModel } from "../properties/exhaustive/check.ts";
import { gridModel } from "../properties/exhaustive/grid-model.ts";
import type { PackedModel } from "../properties/exhaustive/model.ts";
import { mutexModel } from "../properties/exhaustive/mutex-model.ts";
import type { MutexOptions } from "../properties/exhaustive/mutex-model.ts";
import type { Measurement } from "../properties/exhaustive/other-checkers.ts";

/** What to search. */
export type Searched =
  | { readonly kind: "mutex"; readonly options: MutexOptions }
  | { readonly kind: "grid"; readonly side: number };

/** Of one search, or the mean of several. */
export interface SearchCost extends Measurement {
  readonly edges: number;
  readonly bytes: number;
  readonly maxPauseMs: number;
}

/** A small search is over before the clock has moved: it is repeated until so many states were found. */
const LEAST_STATES = 300_000;

/** A process that searches when it is asked to. */
export class BenchSearcher {
  readonly #child = fork(fileURLToPath(import.meta.url), { execArgv: ["--import", "tsx"] });
  readonly #ended = once(this.#child, "exit");

  /** Searches once unmeasured, while V8 compiles, and then measures; in no more memory than is needed. */
  async measure(searched: Searched): Promise<SearchCost> {
    this.#child.send(searched);
    const isAnswered = new AbortController();
    const [answer] = (await Promise.race([
      once(this.#child, "message", isAnswered),
      this.#ended,
    ])) as [SearchCost | number | null];
    isAnswered.abort();
    if (typeof answer === "object" && answer !== null) return answer;
    throw new Error(`a process that searches ended: code=${answer}; see what it said`);
  }

  end(): void {
    this.#child.disconnect();
  }
}

async function measure(searched: Searched): Promise<SearchCost> {
  const { states, edges } = await checkModel(modelOf(searched));
  const bounds = { maxBytes: Math.max(2 ** 20, states * 48) };
  const before = process.cpuUsage();
  const startedMs = performance.now();
  let result = await checkModel(modelOf(searched), { bounds });
  let runs = 1;
  for (; runs * states < LEAST_STATES; runs += 1) {
    result = await checkModel(modelOf(searched), { bounds });
  }
  if (!result.isWhole || result.states !== states) {
    throw new Error(
      `a measured search counts differently: states=${result.states} expected=${states}; give it more memory`,
    );
  }
  const elapsedMs = (performance.now() - startedMs) / runs;
  const { user, system } = process.cpuUsage(before);
  const { bytes, maxPauseMs } = result;
  return { states, edges, cpuMs: (user + system) / 1000 / runs, elapsedMs, bytes, maxPauseMs };
}

function modelOf(searched: Searched): PackedModel {
  return searched.kind === "mutex" ? mutexModel(searched.options) : gridModel(searched.side);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  process.on("message", (searched: Searched) => {
    void measure(searched).then((cost) => process.send?.(cost));
  });
}
