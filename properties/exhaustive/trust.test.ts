// Nobody has to trust our checker: SPIN and Rumur count and judge the whole of Latchkey's system as it does.
import { describe, expect, test, vi } from "vitest";
import { hardened, paper, published } from "../../model/policy.ts";
import { checkModel } from "./check.ts";
import type { CheckResult } from "./check-result.ts";
import { compileSystem } from "./compile-system.ts";
import {
  defaultBounds,
  runRumur,
  runSpin,
  type CrossCheck,
  type CrossCheckFinished,
} from "./cross-check.ts";
import { rumurCounts } from "./export-murphi.ts";
import { spinCounts } from "./export-promela.ts";
import type { LatchkeyOptions } from "./latchkey-options.ts";
import { latchkeySystem } from "./latchkey-system.ts";
import { missingPrograms } from "./run-program.ts";
import { scenarios, settingOptions, settings } from "./scenarios.ts";
import type { System } from "./system-language.ts";

// Building a verifier takes gcc seconds on a busy machine.
vi.setConfig({ testTimeout: 240_000 });

const missing = await missingPrograms(["spin", "rumur", "gcc"]);
// Where the programs are missing the comparison is skipped, but never in CI: there it is the point.
const skipped = missing.length > 0 && process.env["CI"] === undefined;
const reason = skipped
  ? ` (skipped: no ${missing.join(", ")}; apt-get install spin rumur gcc)`
  : "";

// Systems of this size are built for longer than they are searched.
const bounds = { ...defaultBounds, seconds: 120, hashBits: 18, optimised: false };

const { watched } = settings["two attempts"];
const direct = {
  attempts: 2,
  times: { retention: 2, deadline: 1, lag: 0, jump: 0 },
  budgets: settings["three attempts"].budgets,
  watched,
} as const;
const refutable = {
  ...direct,
  budgets: { ...direct.budgets, duplicate: 1 },
  watched: [...watched, "release-on-soft-fail", "collides-within-retention"],
} as const;
const queued = {
  ...direct,
  mode: "queue-everywhere",
  budgets: { softFail: "any", unclear: "any", redelivery: 1 },
  watched: [...watched, "nothing-lost"],
} as const;

interface Case {
  readonly options: LatchkeyOptions;
  /** States, edges, ends. */
  readonly plain: readonly [number, number, number];
  /** States, edges. */
  readonly symmetric: readonly [number, number];
  /** Whether Rumur counts it without its scalarsets too: its verifiers take seconds to build. */
  readonly toldApart: boolean;
  /** What is refuted, and in how many steps. */
  readonly refuted: Readonly<Record<string, number>>;
}

const cases: readonly Case[] = [
  {
    options: settingOptions("hardened, two attempts, any faults", hardened, direct),
    toldApart: true,
    plain: [14_656, 62_720, 79],
    symmetric: [7_342, 31_400],
    refuted: {},
  },
  {
    options: settingOptions("hardened, everything through the queue", hardened, queued),
    toldApart: false,
    plain: [11_472, 29_560, 68],
    symmetric: [5_741, 14_784],
    refuted: {},
  },
  {
    options: settingOptions("published, two attempts, any faults", published, refutable),
    toldApart: true,
    plain: [21_611, 56_897, 7_392],
    symmetric: [10_849, 28_545],
    refuted: {
      acceptance: 8,
      execution: 5,
      "committed-blocks": 11,
      ownership: 8,
      "truthful-refusal": 4,
      "truthful-answer": 3,
      "lost-replies-heal": 4,
    },
  },
  {
    options: settingOptions("paper, two attempts, any faults", paper, refutable),
    toldApart: false,
    plain: [18_466, 58_674, 7_629],
    symmetric: [9_262, 29_448],
    refuted: {
      execution: 5,
      "fail-closed": 3,
      "truthful-refusal": 4,
      "truthful-answer": 3,
      "lost-replies-heal": 4,
    },
  },
];

describe.each(cases.map((each) => [each.options.name, each] as const))("%s", (_, each) => {
  const system = latchkeySystem(each.options);
  const refuted = Object.keys(each.refuted);
  /** What our checker does not refute: no other checker may. */
  const unbroken = system.properties
    .filter(({ id, kind }) => kind !== "sometimes" && !refuted.includes(id))
    .map(({ id }) => id);

  test("has as many states and edges as ever, and is judged alike with and without symmetry", async () => {
    const plain = await ours(system, false);
    const symmetric = await ours(system, true);
    expect([plain.states, plain.edges, plain.ends]).toEqual(each.plain);
    expect([symmetric.states, symmetric.edges]).toEqual(each.symmetric);
    expect(refutedBy(plain)).toEqual(each.refuted);
    expect(verdictsOf(symmetric)).toEqual(verdictsOf(plain));
  });

  test.skipIf(skipped)(`is counted and judged by SPIN as by us${reason}`, async () => {
    const options = { propertyIds: unbroken };
    const found = finished(await runSpin(system, options, bounds));
    const { states, transitions } = spinCounts(system, countsOf(each), options);
    expect([found.states, found.transitions]).toEqual([states, transitions]);
    expect(found.errors).toEqual([]);
    for (const id of refuted) {
      const { errors } = finished(await runSpin(system, { propertyIds: [id] }, bounds));
      expect([id, errors.length]).toEqual([id, 1]);
    }
  });

  test.skipIf(skipped)(
    `is counted by Rumur as by us with its scalarsets, and judged alike${reason}`,
    async () => {
      const options = { propertyIds: unbroken, symmetry: true };
      const symmetric = finished(await runRumur(system, options, bounds));
      expect([symmetric.states, symmetric.transitions]).toEqual(each.symmetric);
      expect(symmetric.errors).toEqual([]);
    },
  );

  if (each.toldApart) {
    test.skipIf(skipped)(
      `is counted by Rumur as by us without its scalarsets, and judged alike${reason}`,
      async () => {
        const { states, rules } = rumurCounts(countsOf(each));
        const options = { propertyIds: unbroken, symmetry: false };
        const all = finished(await runRumur(system, options, bounds));
        expect([all.states, all.transitions]).toEqual([states, rules]);
        expect(all.errors).toEqual([]);
      },
    );
  }

  if (refuted.length === 0) return;

  test.skipIf(skipped)(`is refuted by Rumur where it is by us${reason}`, async () => {
    const every = { propertyIds: refuted, symmetry: true, everyError: true };
    const broken = finished(await runRumur(system, every, bounds)).errors;
    expect(new Set(broken.map(({ message }) => message))).toEqual(
      new Set(refuted.map((id) => `invariant "${id}" failed`)),
    );
  });
});

test.skipIf(skipped)(`two executions take published as few steps in Rumur${reason}`, async () => {
  const options = { propertyIds: ["execution"], symmetry: true };
  const system = latchkeySystem(settingOptions("published", published, refutable));
  const [shortest] = finished(await runRumur(system, options, bounds)).errors;
  expect(shortest).toEqual({ message: 'invariant "execution" failed', length: 5 });
});

describe("symmetry", () => {
  const small = scenarios.filter(
    ({ options: { policy, mode } }) => policy.name !== "hardened" && mode === "direct",
  );
  /** Scenarios that differ only in what is watched are one system, with all of it watched. */
  const systems = new Map<string, LatchkeyOptions>();
  for (const { options } of small) {
    const { name: _, watched: here, ...rest } = options;
    const key = JSON.stringify(rest);
    const before = systems.get(key)?.watched ?? [];
    systems.set(key, { ...options, watched: [...new Set([...before, ...here])] });
  }

  test("changes no verdict and no length of a witness in any direct scenario that is refuted", async () => {
    expect([small.length, systems.size]).toEqual([32, 10]);
    for (const options of systems.values()) {
      const system = latchkeySystem(options);
      const [plain, symmetric] = [await ours(system, false), await ours(system, true)];
      expect([options.name, verdictsOf(symmetric)]).toEqual([options.name, verdictsOf(plain)]);
      expect(symmetric.states).toBeLessThan(plain.states);
    }
  });
});

async function ours(system: System, symmetry: boolean): Promise<CheckResult> {
  const result = await checkModel(compileSystem(system, { symmetry }), { symmetry });
  expect(result.stoppedBy).toBe(null);
  return result;
}

/** Every verdict, with the length of its shortest witness. */
function verdictsOf({ properties, deadlock }: CheckResult) {
  return [...properties, { id: "deadlock", ...deadlock }].map(({ id, verdict, witness }) => [
    id,
    verdict,
    witness?.actions.length ?? null,
  ]);
}

function refutedBy({ properties }: CheckResult): Readonly<Record<string, number>> {
  const broken = properties.filter(({ verdict }) => verdict === "refuted");
  return Object.fromEntries(broken.map(({ id, witness }) => [id, witness?.actions.length ?? -1]));
}

function countsOf({ plain: [states, edges, ends] }: Case) {
  return { states, edges, ends };
}

function finished(result: CrossCheck): CrossCheckFinished {
  if (result.kind === "finished") return result;
  throw new Error(result.message);
}
