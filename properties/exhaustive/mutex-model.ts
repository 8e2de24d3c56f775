// Decides the system on which checkers are compared: a small two-phase mutex of one key, packed by hand.
import type { PackedModel } from "./model.ts";

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

// oxlint-disable-next-line max-lines-per-function -- all steps of one state in one loop, as the programs it is compared with compile theirs
function expandNarrow({
  attempts,
  clock: lastTick,
  pending,
  retention,
}: MutexOptions): PackedModel["expand"] {
  // oxlint-disable-next-line max-lines-per-function -- the same
  return (states, at, out, outAt, actions) => {
    const record = states[at] as number;
    const stages = states[at + 1] as number;
    const clock = record & 255;
    const kind = (record >>> 8) & 3;
    const free = kind === 0 || clock >= ((record >>> 13) & 255);
    const kept = record & (255 | (3 << 21));
    const executed = ((record >>> 21) & 3) < 3 ? record + (1 << 21) : record;
    let count = 0;
    let to = outAt;
    for (let i = 0; i < attempts; i += 1) {
      const stage = (stages >>> (i * 4)) & 15;
      const others = stages & ~(15 << (i * 4));
      const own = kind === 1 && ((record >>> 10) & 7) === i;
      switch (stage) {
        case 0:
          out[to] = free ? kept | (1 << 8) | (i << 10) | ((clock + pending) << 13) : record;
          out[to + 1] = others | ((free ? 1 : 5) << (i * 4));
          actions[count] = i * 8;
          break;
        case 1:
          out[to] = executed;
          out[to + 1] = others | (2 << (i * 4));
          out[to + 2] = record;
          out[to + 3] = others | (3 << (i * 4));
          out[to + 4] = record;
          out[to + 5] = others | (4 << (i * 4));
          actions[count] = i * 8 + 1;
          actions[count + 1] = i * 8 + 2;
          actions[count + 2] = i * 8 + 3;
          count += 2;
          to += 4;
          break;
        case 2:
          out[to] =
            own || free ? kept | (2 << 8) | (i << 10) | ((clock + retention) << 13) : record;
          out[to + 1] = others | (6 << (i * 4));
          actions[count] = i * 8 + 4;
          break;
        case 3:
          out[to] = own ? kept : record;
          out[to + 1] = others | (7 << (i * 4));
          actions[count] = i * 8 + 5;
          break;
        default:
          out[to] = record;
          out[to + 1] = others;
          actions[count] = i * 8 + 6;
      }
      count += 1;
      to += 2;
    }
    if (clock < lastTick) {
      out[to] = record + 1;
      out[to + 1] = stages;
      actions[count] = 7;
      count += 1;
    }
    return count;
  };
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
