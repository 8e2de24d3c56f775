// The system sees when a machine decides something else: each planted decision breaks the invariant that it should.
import { describe, expect, it } from "vitest";
import { attemptEvents, type GatewayTable } from "../../model/gateway-table.ts";
import { type KeyCase, type KeyCaseDecision, keyCases } from "../../model/key-table.ts";
import { hardened } from "../../model/policy.ts";
import { checkModel } from "./check.ts";
import { compileSystem } from "./compile-system.ts";
import type { Fault, WatchedInvariant } from "./latchkey-options.ts";
import { latchkeySystem, machinesOf, type Machines } from "./latchkey-system.ts";
import { scenarios, settingOptions, settings } from "./scenarios.ts";

const ofPayloads = settingOptions("payloads", hardened, settings.payloads);
const ofTwo = settingOptions("two attempts", hardened, {
  ...settings["two attempts"],
  times: { retention: 1, deadline: 1, lag: 0, jump: 0 },
});
const ofMemory = settingOptions("memory", hardened, settings.memory);

/** The gateway's table with what it decides at one event in place of what it decides at another. */
function takes(event: string, as: string): (machines: Machines) => Machines {
  const place = (name: string) => {
    const found = attemptEvents.findIndex(({ type, result }) => `${type}-${result}` === name);
    if (found < 0) throw new Error(`no such event: ${name}`);
    return found;
  };
  return ({ attempt, ...others }) => {
    const rows = attempt.rows.map((row) => row.with(place(event), row[place(as)] ?? neverHere()));
    return { ...others, attempt: { ...attempt, rows } satisfies GatewayTable };
  };
}

/** The key table with another decision in the cases that `where` picks. */
function decides(
  where: Partial<KeyCase>,
  decision: Partial<KeyCaseDecision>,
): (machines: Machines) => Machines {
  return ({ key, ...others }) => ({
    ...others,
    key: key.map((each, place) =>
      isIn(keyCases[place] ?? neverHere(), where) ? { ...each, ...decision } : each,
    ),
  });
}

function isIn(each: KeyCase, where: Partial<KeyCase>): boolean {
  return (Object.keys(where) as (keyof KeyCase)[]).every((field) => each[field] === where[field]);
}

function neverHere(): never {
  throw new Error("the table has no such place");
}

const accepts = {
  reply: "proceed",
  change: "accepted",
  end: "pending",
  deadline: "deadline",
  fence: "next",
} as const;

const planted: readonly (readonly [
  defect: string,
  invariant: WatchedInvariant,
  options: typeof ofTwo,
  plant: (machines: Machines) => Machines,
])[] = [
  [
    "a refusal of authentication passes",
    "forged-never-executes",
    ofTwo,
    takes("AUTHENTICATION-api-key", "AUTHENTICATION-passed"),
  ],
  [
    "a refusal of admission passes",
    "forged-never-executes",
    ofTwo,
    takes("ADMISSION-rate-limit", "ADMISSION-passed"),
  ],
  [
    "in flight is taken for proceed",
    "fail-closed",
    ofTwo,
    takes("RESERVE-in-flight", "RESERVE-proceed"),
  ],
  [
    "mismatch is taken for proceed",
    "fail-closed",
    ofPayloads,
    takes("RESERVE-mismatch", "RESERVE-proceed"),
  ],
  [
    "soft-fail is taken for success",
    "nothing-lost",
    ofTwo,
    takes("OUTCOME-soft-fail", "OUTCOME-success"),
  ],
  ["4xx is taken for success", "nothing-lost", ofTwo, takes("OUTCOME-rejected", "OUTCOME-success")],
  [
    "a pending record is in doubt at once",
    "truthful-refusal",
    ofTwo,
    decides(
      { record: "in-flight", call: "reserve", isOwn: false, samePayload: true },
      { reply: "in-doubt" },
    ),
  ],
  [
    "a record is never in doubt",
    "truthful-refusal",
    ofTwo,
    decides(
      { record: "in-doubt", call: "reserve", isOwn: false, samePayload: true },
      { reply: "in-flight" },
    ),
  ],
  [
    "a pending record is a duplicate",
    "truthful-refusal",
    ofTwo,
    decides(
      { record: "in-flight", call: "reserve", isOwn: false, samePayload: true },
      { reply: "duplicate" },
    ),
  ],
  [
    "a record does not block",
    "record-blocks",
    ofTwo,
    decides({ record: "in-doubt", call: "reserve", isOwn: false, samePayload: true }, accepts),
  ],
  [
    "a release is answered and not done",
    "release-on-soft-fail",
    ofMemory,
    decides(
      { call: "release", isOwn: true, record: "in-flight" },
      { change: "kept", end: "kept", deadline: "kept", fence: "kept" },
    ),
  ],
];

describe("a planted decision is refuted", () => {
  it.each(planted)("%s: %s", async (_, invariant, given, plant) => {
    const options = { ...given, watched: [invariant] };
    const system = latchkeySystem(options, plant(machinesOf(options)));
    const { properties } = await checkModel(compileSystem(system, { symmetry: true }), {
      symmetry: true,
      stopWhen: "refuted",
    });
    expect(properties.find(({ id }) => id === invariant)?.verdict).toBe("refuted");
  });
});

describe("a machine that counts otherwise is no machine of this system", () => {
  const absent = { record: "absent", call: "reserve" } as const;
  const own = { record: "in-flight", call: "commit", isOwn: true } as const;
  it.each([
    ["pending blocks for the retention", decides(absent, { end: "retention" })],
    ["the deadline is something else", decides(absent, { deadline: "other" })],
    ["the fence stays", decides(absent, { fence: "other" })],
    ["a commit does not renew the end", decides(own, { end: "kept" })],
    [
      "a refusal moves the end",
      decides({ record: "committed", call: "reserve" }, { end: "retention" }),
    ],
  ])("%s", (_, plant) => {
    expect(() => latchkeySystem(ofTwo, plant(machinesOf(ofTwo)))).toThrow(/counts otherwise/u);
  });
});

it("finds the state in which an attempt waits and nothing is under way", async () => {
  const options = { ...ofTwo, budgets: {}, watched: [] };
  const waitsOn = takes("OUTCOME-refused-by-deadline", "SETTLEMENT-done");
  const deadlocks = async (machines: Machines) => {
    const model = compileSystem(latchkeySystem(options, machines), { symmetry: true });
    return (await checkModel(model, { symmetry: true })).deadlocks;
  };
  expect(await deadlocks(machinesOf(options))).toBe(0);
  expect(await deadlocks(waitsOn(machinesOf(options)))).toBeGreaterThan(0);
});

// Which faults can happen does not depend on what is watched.
const bounds = new Map(
  scenarios.map(({ id, options }) => [
    JSON.stringify({ ...options, name: "", watched: [] }),
    [id, { ...options, watched: [] }] as const,
  ]),
);

it.each([...bounds.values()])("%s has no fault in its bounds that cannot happen", (_, options) => {
  const machines = machinesOf(options);
  const rulesOf = (budgets: typeof options.budgets) =>
    latchkeySystem({ ...options, budgets }, machines).rules.map(({ name }) => name);
  const all = rulesOf(options.budgets);
  for (const fault of Object.keys(options.budgets) as Fault[]) {
    const { [fault]: _gone, ...others } = options.budgets;
    expect([fault, rulesOf(others).length < all.length]).toEqual([fault, true]);
  }
});
