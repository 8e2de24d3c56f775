// Decides which small systems the checker is tried on: counts, verdicts and shortest witnesses are known for each.
import type { PackedModel, PropertyDeclaration } from "./model.ts";

/** For threads: `options` names a sample of this file and its size. */
export function createModel(options: unknown): PackedModel {
  const { sample, size } = options as { sample: keyof typeof samples; size: number };
  return packed(samples[sample](size));
}

const samples = {
  philosophers: (size: number) => philosophers(size),
  counter: (size: number) => counter(size),
  crowd: (size: number) => crowd(size),
  wideCrowd: (size: number) => crowd(size, 3),
};

/** A model over plain numbers, for samples: slow and clear. Each successor is `[state words, action]`. */
export interface PlainModel {
  readonly name: string;
  readonly words?: number;
  readonly maxSuccessors: number;
  readonly initial: readonly (readonly number[])[];
  readonly next: (state: readonly number[]) => readonly (readonly [readonly number[], number])[];
  readonly properties?: readonly (PropertyDeclaration & {
    readonly test: (state: readonly number[]) => boolean;
  })[];
  readonly isEnd?: (state: readonly number[]) => boolean;
  readonly canonicalise?: (state: readonly number[]) => readonly number[];
}

export function packed(plain: PlainModel): PackedModel {
  const words = plain.words ?? 1;
  const read = (states: Uint32Array, at: number): readonly number[] => [
    ...states.subarray(at, at + words),
  ];
  const { isEnd, canonicalise } = plain;
  const properties = plain.properties ?? [];
  return {
    name: plain.name,
    words,
    maxSuccessors: plain.maxSuccessors,
    properties,
    initial: () => Uint32Array.from(plain.initial.flat()),
    expand(states, at, out, outAt, actions) {
      const successors = plain.next(read(states, at));
      successors.forEach(([state, action], i) => {
        out.set(state, outAt + i * words);
        actions[i] = action;
      });
      return successors.length;
    },
    marks(states, at) {
      const state = read(states, at);
      return properties.reduce(
        (marks, property, bit) => (property.test(state) ? marks | (1 << bit) : marks),
        0,
      );
    },
    ...(isEnd === undefined
      ? {}
      : { isEnd: (states: Uint32Array, at: number) => isEnd(read(states, at)) }),
    ...(canonicalise === undefined
      ? {}
      : {
          canonicalise: (states: Uint32Array, at: number) =>
            states.set(canonicalise(read(states, at)), at),
        }),
    describeAction: (action) => ({ actor: plain.name, action: String(action), detail: "" }),
    describeState: (state) => Object.fromEntries([...state].map((word, i) => [`word${i}`, word])),
  };
}

/** Counts 0, 1, … up to `top`, where it ends, or goes round if `round`. `top + 1` states, depth `top`. */
export function counter(
  top: number,
  options: { readonly round?: boolean; readonly words?: number } = {},
): PlainModel {
  const words = options.words ?? 1;
  const zeros = Array.from({ length: words - 1 }, () => 0);
  return {
    name: `counter-${top}`,
    words,
    maxSuccessors: 1,
    initial: [[...zeros, 0]],
    next: (state) => {
      const value = state.at(-1) ?? 0;
      if (value < top) return [[[...zeros, value + 1], 1]];
      return options.round === true ? [[[...zeros, 0], 0]] : [];
    },
    isEnd: () => true,
  };
}

/** Begins in so many states at once, each with three steps to others, near and far; twice as many in all. Of `words` words. */
export function crowd(size: number, words = 1): PlainModel {
  const state = (value: number): number[] =>
    Array.from({ length: words }, (_, word) => Math.imul(value, 2 * word + 1) >>> 0);
  return {
    name: `crowd-${size}`,
    words,
    maxSuccessors: 3,
    initial: Array.from({ length: size }, (_, value) => state(value)),
    next: ([value = 0]) =>
      [value + 1, value * 7 + 3, value + size].map((next, i) => [state(next % (2 * size)), i]),
  };
}

/** Dining philosophers who all take the left fork first: state is a base-3 digit per philosopher, 0 thinks, 1 holds left, 2 eats. */
export function philosophers(count: number): PlainModel {
  const rotate = (state: readonly number[]): readonly number[] => {
    const turns = state.map((_, by) => [...state.slice(by), ...state.slice(0, by)]);
    return turns.reduce((least, turn) => (turn.join() < least.join() ? turn : least));
  };
  return {
    name: `philosophers-${count}`,
    words: count,
    maxSuccessors: count,
    initial: [Array.from({ length: count }, () => 0)],
    next: (state) =>
      state.flatMap((stage, i) => {
        const left = state[(i + count - 1) % count] ?? 0;
        const right = state[(i + 1) % count] ?? 0;
        const blocked = (stage === 0 && left === 2) || (stage === 1 && right !== 0);
        return blocked ? [] : [[state.with(i, (stage + 1) % 3), i] as const];
      }),
    properties: [
      {
        id: "neighbours",
        kind: "always",
        statement: "neighbours never eat at once",
        test: (s) => s.some((x, i) => x === 2 && s[(i + 1) % count] === 2),
      },
      { id: "eats", kind: "sometimes", statement: "somebody eats", test: (s) => s.includes(2) },
      {
        id: "can-eat",
        kind: "reachable",
        statement: "somebody can always eat again",
        test: (s) => s.includes(2),
      },
      {
        id: "all-think",
        kind: "reachable",
        statement: "all can think again",
        test: (s) => s.every((x) => x === 0),
      },
      {
        id: "must-eat",
        kind: "eventually",
        statement: "somebody must eat",
        test: (s) => s.includes(2),
      },
    ],
    canonicalise: rotate,
  };
}

/** Peterson's algorithm for two: `[stage 0, stage 1, turn]`; stages: 0 idle, 1 wants, 2 gave the turn away, 3 critical. */
export function peterson(options: { readonly broken: boolean }): PlainModel {
  return {
    name: options.broken ? "peterson-without-turn" : "peterson",
    words: 3,
    maxSuccessors: 2,
    initial: [[0, 0, 0]],
    next: (state) => [0, 1].flatMap((me) => petersonSteps(state, me, options.broken)),
    properties: [
      {
        id: "exclusion",
        kind: "always",
        statement: "never both in the critical section",
        exercisedBy: "enters",
        test: (s) => s[0] === 3 && s[1] === 3,
      },
      {
        id: "enters",
        kind: "sometimes",
        statement: "one is in the critical section",
        test: (s) => s[0] === 3 || s[1] === 3,
      },
      {
        id: "first-again",
        kind: "reachable",
        statement: "the first can always get in again",
        test: (s) => s[0] === 3,
      },
      {
        id: "someone-enters",
        kind: "eventually",
        statement: "somebody gets in",
        test: (s) => s[0] === 3 || s[1] === 3,
      },
      {
        id: "first-enters",
        kind: "eventually",
        statement: "the first gets in without fairness",
        test: (s) => s[0] === 3,
      },
    ],
  };
}

function petersonSteps(
  state: readonly number[],
  me: number,
  broken: boolean,
): [readonly number[], number][] {
  const other = 1 - me;
  const stage = state[me] ?? 0;
  const turn = state[2] ?? 0;
  const othersStage = state[other] ?? 0;
  const mayEnter = turn === me || (broken ? othersStage < 3 : othersStage === 0);
  if (stage === 0) return [[state.with(me, 1), me]];
  if (stage === 1) return [[state.with(me, 2).with(2, broken ? turn : other), me]];
  if (stage === 3) return [[state.with(me, 0), me]];
  return mayEnter ? [[state.with(me, 3), me]] : [];
}

/** Two jugs of 3 and 5 litres, and the wish for 4: the classical puzzle has 16 states and is solved in 6 steps. */
export const jugs: PlainModel = {
  name: "jugs",
  words: 2,
  maxSuccessors: 6,
  initial: [[0, 0]],
  next: ([small = 0, large = 0]) => {
    const toLarge = Math.min(small, 5 - large);
    const toSmall = Math.min(large, 3 - small);
    return [
      [[3, large], 0],
      [[small, 5], 1],
      [[0, large], 2],
      [[small, 0], 3],
      [[small - toLarge, large + toLarge], 4],
      [[small + toSmall, large - toSmall], 5],
    ];
  },
  properties: [
    {
      id: "four",
      kind: "sometimes",
      statement: "four litres can be measured",
      test: ([, large]) => large === 4,
    },
    {
      id: "six",
      kind: "sometimes",
      statement: "six litres can be measured",
      test: ([small = 0, large = 0]) => small + large === 9,
    },
    {
      id: "empty-again",
      kind: "reachable",
      statement: "both can be emptied",
      test: ([small, large]) => small === 0 && large === 0,
    },
    {
      id: "vacuous",
      kind: "always",
      statement: "nine litres never overflow",
      exercisedBy: "six",
      test: () => false,
    },
  ],
};
