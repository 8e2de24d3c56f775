import { expect, test } from "vitest";
import { functionOf, isNonZero, isZero, unrolled } from "./state-loops.ts";

test("does every part once for each item, in order, whatever is left over", () => {
  const run = functionOf<(count: number, seen: string[]) => void>(
    ["count", "seen"],
    unrolled(
      "count",
      4,
      (at, own) => `const read${own} = ${at} * 10; seen.push("read " + ${at});`,
      (at, own) => `seen.push("write " + ${at} + " " + read${own});`,
    ),
  );
  for (let count = 0; count <= 9; count += 1) {
    const seen: string[] = [];
    run(count, seen);
    const items = Array.from({ length: count }, (_, i) => i);
    expect(seen.filter((each) => each.startsWith("read"))).toEqual(items.map((i) => `read ${i}`));
    expect(seen.filter((each) => each.startsWith("write"))).toEqual(
      items.map((i) => `write ${i} ${i * 10}`),
    );
  }
});

test("tells zero from all else without a branch", () => {
  const run = functionOf<(word: number) => [number, number]>(
    ["word"],
    `return [${isNonZero("word")}, ${isZero("word")}];`,
  );
  for (const word of [1, -1, 2 ** 31, 2 ** 31 - 1, -(2 ** 31)]) expect(run(word)).toEqual([1, 0]);
  expect(run(0)).toEqual([0, 1]);
});
