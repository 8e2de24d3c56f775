// Decides a system whose branching is the same at every size, to measure what a state costs as they become many.
import type { PackedModel } from "./model.ts";

/** Four counters that go round after so many steps: `side` to the fourth states, each with four successors. */
export function gridModel(side: number): PackedModel {
  const last = side - 1;
  return {
    name: `grid-${side}`,
    words: 2,
    maxSuccessors: 4,
    properties: [],
    initial: () => new Uint32Array(2),
    // Word 0 holds two counters of 16 bits, word 1 the other two.
    expand(states, at, out, outAt, actions) {
      const left = (states[at] as number) | 0;
      const right = (states[at + 1] as number) | 0;
      out[outAt] = (left & 0xffff) === last ? left & ~0xffff : left + 1;
      out[outAt + 1] = right;
      out[outAt + 2] = left >>> 16 === last ? left & 0xffff : left + 0x1_0000;
      out[outAt + 3] = right;
      out[outAt + 4] = left;
      out[outAt + 5] = (right & 0xffff) === last ? right & ~0xffff : right + 1;
      out[outAt + 6] = left;
      out[outAt + 7] = right >>> 16 === last ? right & 0xffff : right + 0x1_0000;
      for (let i = 0; i < 4; i += 1) actions[i] = i;
      return 4;
    },
    marks: () => 0,
    describeAction: (action) => ({ actor: `counter ${action}`, action: "step", detail: "" }),
    describeState: (state) => ({ left: state[0] as number, right: state[1] as number }),
  };
}
