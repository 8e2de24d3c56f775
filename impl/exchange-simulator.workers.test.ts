// Judges which instructions the simulated exchange takes, and how many orders each is for.
import { expect, test } from "vitest";
import { readInstruction } from "./exchange-simulator.ts";

test("takes an instruction for at least one order", () => {
  const behaviour = "reject";
  expect(readInstruction({ behaviour })).toEqual({ behaviour, orders: 1, stallMs: 0 });
  expect(readInstruction({ behaviour, orders: 1_000 })?.orders).toBe(1_000);
  for (const orders of [0, -1, 0.5, "1", 1_001]) {
    expect(readInstruction({ behaviour, orders })).toBe(null);
  }
});
