// Faults of a system are told in one line each, and the language keeps the members of a scalarset apart from numbers.
import { describe, expect, test } from "vitest";
import { checkSystem } from "./check-system.ts";
import { exampleMutex, smallMutex } from "./example-mutex.ts";
import {
  arrayOver,
  assign,
  flag,
  memberOf,
  range,
  rule,
  scalar,
  scalarset,
  system,
  withLocal,
  always,
} from "./system-builders.ts";
import { and, equal, less, plus, type Operand } from "./system-expressions.ts";
import type { Statement } from "./system-language.ts";

const attempts = scalarset("attempt", 2);
const clock = scalar("clock", range(3));
const open = scalar("open", flag);
const holder = scalar("holder", memberOf(attempts, "nobody"));
const level = arrayOver(attempts, "level", range(3));
const undeclared = scalar("undeclared", flag);

function faultsOf(guard: Operand, body: readonly Statement[]): readonly string[] {
  const tells = { actor: "a", action: "b", detail: "c" };
  return checkSystem(
    system({
      name: "faulty",
      indexSets: [attempts],
      variables: [clock, open, holder, level],
      rules: [rule("step", { a: attempts }, () => ({ guard, body, tells }))],
      properties: [],
    }),
  );
}

describe("a system", () => {
  test("without faults has none", () => {
    expect(checkSystem(exampleMutex(smallMutex))).toEqual([]);
  });

  test("may not order or count with the members of a scalarset", () => {
    expect(faultsOf(less(holder, 1), [])).toEqual([
      "faulty: rule step: an operand of less is a member of attempt, not a number",
    ]);
    expect(faultsOf(equal(level.at(0), 1), [])).toEqual([
      "faulty: rule step: the index of level is a number, not a member of attempt",
    ]);
  });

  test("may not mix booleans and numbers", () => {
    expect(faultsOf(clock, [])).toEqual([
      "faulty: rule step: the guard is a number, not a boolean",
    ]);
    expect(faultsOf(true, [assign(open, plus(clock, 1))])).toEqual([
      "faulty: rule step: what is assigned to open is a number, not a boolean",
    ]);
  });

  test("may not use what it does not declare, nor hide a name", () => {
    expect(faultsOf(and(undeclared), [])).toContain(
      "faulty: rule step: variable undeclared is not declared; add it to the system's variables",
    );
    expect(faultsOf(true, [withLocal("clock", range(3), 0, () => [])])).toEqual([
      "faulty: rule step: clock hides another of its name",
    ]);
  });

  test("may not begin outside of a domain, nor lean on a situation that it does not name", () => {
    const faults = checkSystem(
      system({
        name: "faulty",
        indexSets: [attempts],
        variables: [scalar("clock", range(3), 4)],
        rules: [],
        properties: [always("law", "A law.", true, "never-named")],
      }),
    );
    expect(faults).toEqual([
      "faulty: variable clock: initial=4 is outside 0..3",
      "faulty: property law: exercisedBy=never-named is not a sometimes of this system",
    ]);
  });
});
