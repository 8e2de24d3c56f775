// Decides the system on which checkers are compared: a small two-phase mutex of one key, packed by hand.
import type { PackedModel } from "./model.ts";
import { functionOf } from "./state-loops.ts";

/** Bounds of the mutex; time is counted in ticks. */
export interface MutexOptions {
  /** 1 to 8. */
  readonly attempts: number;
  /** The last tick of the clock, 1 to 200. */
  readonly clock: number;
  /** How long a pending and a committed record block. Their ends must stay below 256. */
  readonly pending: number;
  readonly retention: number;
  /** Words per state: 2, or up to 8 with the attempts spread over the words after the first. Default: 2. */
  readonly words?: number;
}

/**
 * What an attempt has done: 0 idle, 1 reserved, 2 executed, 3 failed, 4 lost its answer, 5 refused, 6 committed,
 * 7 released. From 4 on it may try again. Seven options per attempt, of which at most three are open at once.
 */
export const STAGE_COUNT = 8;

export function createModel(options: unknown): PackedModel {
  return mutexModel(options as MutexOptions);
}

/** Word 0 holds clock (8 bits), kind (2: absent, pending, committed), holder (3), end (8), executions (2, at most 3). */
export function mutexModel(options: MutexOptions): PackedModel {
  const words = options.words ?? 2;
  return {
    name: `mutex-${options.attempts}-${options.clock}`,
    words,
    maxSuccessors: 3 * options.attempts + 1,
    properties: [
      { id: "executes-once", kind: "always", statement: "the effect happens at most once" },
      { id: "commits", kind: "sometimes", statement: "a record is committed" },
    ],
    initial: () => new Uint32Array(words),
    expand: words === 2 ? expandNarrow(options) : expandWide(options, words),
    marks(states, at) {
      const record = states[at] as number;
      return (((record >>> 21) & 3) > 1 ? 1 : 0) | (((record >>> 8) & 3) === 2 ? 2 : 0);
    },
    describeAction: (action) => ({
      actor: `attempt ${action >>> 3}`,
      action: ACTIONS[action & 7] ?? "tick",
      detail: "",
    }),
    describeState(state) {
      const record = state[0] as number;
      return {
        clock: record & 255,
        kind: ["absent", "pending", "committed"][(record >>> 8) & 3] ?? "",
        holder: (record >>> 10) & 7,
        end: (record >>> 13) & 255,
        executions: (record >>> 21) & 3,
      };
    },
  };
}

const ACTIONS = ["reserve", "execute", "fail", "lose the answer", "commit", "release", "try again"];

const written = new Map<string, PackedModel["expand"]>();

/** All steps of one state; written once for the same options, so that a second search finds it compiled. */
function expandNarrow(options: MutexOptions): PackedModel["expand"] {
  const { attempts, clock, pending, retention } = options;
  const key = [attempts, clock, pending, retention].join();
  const known = written.get(key) ?? writeExpand(options);
  written.set(key, known);
  return known;
}

/** The steps are written out for each attempt, as SPIN and Rumur write out theirs. */
function writeExpand({
  attempts,
  clock: lastTick,
  pending,
  retention,
}: MutexOptions): PackedModel["expand"] {
  const steps = Array.from({ length: attempts }, (_, i) => stepsOf(i));
  return functionOf(
    ["states", "at", "out", "outAt", "actions"],
    `const record = states[at] | 0, stages = states[at + 1 | 0] | 0;
    const clock = record & 255, kind = (record >>> 8) & 3;
    const free = kind === 0 || clock >= ((record >>> 13) & 255);
    const holder = kind === 1 ? (record >>> 10) & 7 : -1;
    const kept = record & ${255 | (3 << 21)};
    const executed = ((record >>> 21) & 3) < 3 ? record + ${1 << 21} : record;
    const reserved = kept | ${1 << 8} | ((clock + ${pending}) << 13);
    const committed = kept | ${2 << 8} | ((clock + ${retention}) << 13);
    let to = outAt | 0, count = 0;
    ${steps.join("\n")}
    if (clock < ${lastTick}) {
      out[to] = record + 1; out[to + 1 | 0] = stages; actions[count] = 7;
      count = (count + 1) | 0;
    }
    return count;`,
  );
}

/** The steps of the i-th attempt. */
function stepsOf(i: number): string {
  const shift = i * 4;
  const step = (place: number, record: string, stages: string, action: number): string =>
    `out[to + ${2 * place} | 0] = ${record}; out[to + ${2 * place + 1} | 0] = ${stages}; actions[count + ${place} | 0] = ${i * 8 + action};`;
  const moved = (by: number): string => `(stages + ${by * 2 ** shift}) | 0`;
  return `
    switch ((stages >>> ${shift}) & 15) {
      case 0:
        if (free) { ${step(0, `reserved | ${i << 10}`, moved(1), 0)} }
        else { ${step(0, "record", moved(5), 0)} }
        break;
      case 1:
        ${step(0, "executed", moved(1), 1)} ${step(1, "record", moved(2), 2)} ${step(2, "record", moved(3), 3)}
        count = (count + 2) | 0; to = (to + 4) | 0;
        break;
      case 2:
        ${step(0, `free || holder === ${i} ? committed | ${i << 10} : record`, moved(4), 4)}
        break;
      case 3:
        ${step(0, `holder === ${i} ? kept : record`, moved(4), 5)}
        break;
      default:
        ${step(0, "record", `stages & ${~(15 << shift)}`, 6)}
    }
    count = (count + 1) | 0; to = (to + 2) | 0;`;
}

/** The same steps with the stages dealt out over the words after the first, to measure wider states. */
function expandWide(options: MutexOptions, words: number): PackedModel["expand"] {
  const narrow = expandNarrow(options);
  const state = new Uint32Array(2);
  const successors = new Uint32Array((3 * options.attempts + 1) * 2);
  const masks = Array.from({ length: words - 1 }, (_, word) => {
    let mask = 0;
    for (let i = word; i < 8; i += words - 1) mask |= 15 << (i * 4);
    return mask;
  });
  return (states, at, out, outAt, actions) => {
    let stages = 0;
    for (let word = 1; word < words; word += 1) stages |= states[at + word] as number;
    state[0] = states[at] as number;
    state[1] = stages;
    const count = narrow(state, 0, successors, 0, actions);
    for (let i = 0; i < count; i += 1) {
      const to = outAt + i * words;
      out[to] = successors[i * 2] as number;
      for (let word = 1; word < words; word += 1) {
        out[to + word] = (successors[i * 2 + 1] as number) & (masks[word - 1] as number);
      }
    }
    return count;
  };
}
