// Small random systems, well formed and symmetric by construction, on which compiler, interpreter and exporters are compared.
import {
  always,
  arrayOver,
  assign,
  flag,
  forEach,
  memberOf,
  named,
  places,
  range,
  rule,
  scalar,
  scalarset,
  sometimes,
  system,
  table,
  when,
  withLocal,
  type Table,
} from "./system-builders.ts";
import {
  and,
  choose,
  count,
  differ,
  equal,
  every,
  greatest,
  least,
  less,
  minus,
  nobody,
  not,
  or,
  plus,
  some,
} from "./system-expressions.ts";
import type { Expression, IndexSet, Statement, System } from "./system-language.ts";

/** Decides; the same source of numbers gives the same system. `upTo(n)` is a whole number 0..n. */
export interface Decisions {
  upTo(max: number): number;
}

/** Decisions from a seed (a xorshift generator). */
export function seededDecisions(seed: number): Decisions {
  let state = (seed | 0) ^ 0x9e3779b9 || 1;
  return {
    upTo: (max) => {
      state ^= state << 13;
      state ^= state >>> 17;
      state ^= state << 5;
      return (state >>> 0) % (max + 1);
    },
  };
}

export function randomSystem(decisions: Decisions): System {
  const attempts = scalarset("attempt", 2 + decisions.upTo(1));
  const parts = new Parts(decisions, attempts);
  const rules = Array.from({ length: 4 + decisions.upTo(3) }, (_, place) =>
    rule(`step${place}`, parts.parameters(), (given) => ({
      guard: parts.guard(given["a"], place),
      body: parts.body(given["a"], 2),
      tells: { actor: "attempt {a}", action: `step${place}`, detail: "{mode[a]} to {mode[a]'}" },
    })),
  );
  return system({
    name: "random",
    indexSets: [attempts, parts.slots],
    tables: [parts.table],
    variables: Object.values(parts.variables),
    rules,
    properties: [
      always(
        "law",
        "A random law.",
        every("p", attempts, (p) => parts.test(p, 2)),
      ),
      sometimes(
        "case",
        "A random case.",
        some("p", attempts, (p) => parts.test(p, 2)),
      ),
    ],
    initialStates: decisions.upTo(2) === 0 ? [{}, { total: 2 }, { mode: 1, ready: 1 }] : [{}],
    end: parts.test(null, 2),
  });
}

const Mode = named("mode", ["idle", "busy", "done"]);

class Parts {
  readonly slots = places("slot", 2);
  readonly table: Table;
  readonly variables;
  readonly #decisions: Decisions;
  readonly #attempts: IndexSet;
  #locals = 0;

  constructor(decisions: Decisions, attempts: IndexSet) {
    this.#decisions = decisions;
    this.#attempts = attempts;
    this.table = table("moves", [3, 4], range(3), () => decisions.upTo(3));
    this.variables = {
      mode: arrayOver(attempts, "mode", Mode),
      level: arrayOver(attempts, "level", range(1 + decisions.upTo(1))),
      ready: arrayOver(attempts, "ready", flag),
      // Only some systems let the members point at each other, which needs the slower canonical form.
      waitsFor:
        decisions.upTo(3) === 0
          ? arrayOver(attempts, "waitsFor", memberOf(attempts, "nobody"))
          : arrayOver(this.slots, "waitsFor", memberOf(attempts, "nobody")),
      total: scalar("total", range(3)),
      open: scalar("open", flag),
      holder: scalar("holder", memberOf(attempts, "nobody")),
      queue: arrayOver(this.slots, "queue", range(2)),
    };
  }

  parameters() {
    return this.#decisions.upTo(4) === 0
      ? { a: this.#attempts, v: range(1) }
      : { a: this.#attempts };
  }

  /** Rules are spread over the modes, and half of them ask for no more, so that most systems have many states. */
  guard(a: Expression | undefined, place: number): Expression {
    if (a === undefined) return this.test(null, 1);
    const mode = equal(this.variables.mode.at(a), place % 3);
    if (this.#decisions.upTo(1) === 0) return mode;
    return this.#decisions.upTo(3) === 0 ? this.test(a, 2) : and(mode, this.test(a, 1));
  }

  body(a: Expression | undefined, depth: number): readonly Statement[] {
    return Array.from({ length: 1 + this.#decisions.upTo(2) }, () => this.#statement(a, depth));
  }

  #statement(a: Expression | undefined, depth: number): Statement {
    const { mode, level, ready, total, open, holder, queue } = this.variables;
    const member = a ?? nobody(this.#attempts);
    const chosen = this.#decisions.upTo(depth > 0 ? 10 : 7);
    switch (chosen) {
      case 0:
        return assign(total, this.#bounded(a, 3));
      case 1:
        return assign(open, this.test(a ?? null, 1));
      case 2:
        return assign(holder, this.#decisions.upTo(2) === 0 ? nobody(this.#attempts) : member);
      case 3:
        return assign(queue.at(this.#bounded(a, 1)), this.#bounded(a, 2));
      case 4:
        return assign(this.#waitsFor(a), this.#decisions.upTo(1) === 0 ? holder : member);
      case 5:
        return a === undefined ? assign(open, true) : assign(level.at(a), this.#bounded(a, 1));
      case 6:
        return a === undefined ? assign(total, 0) : assign(mode.at(a), this.#bounded(a, 2));
      case 7:
        return a === undefined ? assign(open, false) : assign(ready.at(a), this.test(a, 1));
      case 8:
        return when(this.test(a ?? null, 1), this.body(a, depth - 1), this.body(a, depth - 1));
      case 9:
        return forEach(this.#name(), this.#attempts, (b) => [
          when(equal(mode.at(b), this.#decisions.upTo(2)), [assign(ready.at(b), not(ready.at(b)))]),
        ]);
      default:
        return withLocal(this.#name(), range(3), this.#bounded(a, 3), (kept) => [
          ...this.body(a, depth - 1),
          assign(total, kept),
        ]);
    }
  }

  #waitsFor(a: Expression | undefined) {
    const { waitsFor } = this.variables;
    if (waitsFor.declaration.over === this.slots.name) return waitsFor.at(this.#bounded(a, 1));
    return a === undefined ? this.variables.holder : waitsFor.at(a);
  }

  #bounded(a: Expression | undefined, max: number): Expression {
    return least(greatest(this.#number(a ?? null, 2), 0), max);
  }

  #number(a: Expression | null, depth: number): Expression {
    const { mode, level, total, queue } = this.variables;
    const number = () => this.#number(a, depth - 1);
    switch (this.#decisions.upTo(depth > 0 ? 8 : 2)) {
      case 0:
        return total;
      case 1:
        return a === null ? total : level.at(a);
      case 2:
        return plus(this.#decisions.upTo(3), 0);
      case 3:
        return plus(number(), number());
      case 4:
        return minus(number(), number());
      case 5:
        return queue.at(least(total, 1));
      case 6:
        return a === null ? total : this.table.at(mode.at(a), total);
      case 7:
        return count(this.#name(), this.#attempts, (b) =>
          equal(mode.at(b), this.#decisions.upTo(2)),
        );
      default:
        return choose(this.test(a, depth - 1), number(), number());
    }
  }

  test(a: Expression | null, depth: number): Expression {
    const { mode, ready, open, holder, waitsFor } = this.variables;
    const inner = () => this.test(a, depth - 1);
    const member = a ?? nobody(this.#attempts);
    switch (this.#decisions.upTo(depth > 0 ? 9 : 3)) {
      case 0:
        return and(open);
      case 1:
        return a === null ? not(open) : and(ready.at(a));
      case 2:
        return equal(holder, member);
      case 3:
        return less(this.#number(a, 0), this.#number(a, 0));
      case 4:
        return and(
          differ(holder, nobody(this.#attempts)),
          equal(mode.at(holder), this.#decisions.upTo(2)),
        );
      case 5:
        return not(inner());
      case 6:
        return or(inner(), inner());
      case 7:
        return and(inner(), inner());
      case 8:
        return some(this.#name(), this.#attempts, (b) => and(ready.at(b), differ(b, member)));
      default:
        return waitsFor.declaration.over === this.slots.name
          ? equal(waitsFor.at(this.#decisions.upTo(1)), member)
          : every(this.#name(), this.#attempts, (b) => differ(waitsFor.at(b), member));
    }
  }

  #name(): string {
    this.#locals += 1;
    return `b${this.#locals}`;
  }
}
