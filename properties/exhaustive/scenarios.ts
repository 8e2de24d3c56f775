// The configurations that are judged: which policy, mode, attempts, times and faults, and which invariants each watches.
import type { GatewayMode } from "../../model/gateway-attempt.ts";
import { hardened, paper, published, type Policy, type PolicyName } from "../../model/policy.ts";
import type { SettingName } from "./ablations.ts";
import type {
  Budget,
  Fault,
  LatchkeyOptions,
  SystemTimes,
  WatchedInvariant,
} from "./latchkey-options.ts";

export interface Scenario {
  readonly id: string;
  readonly title: string;
  /** `quick` fits the minute of `verify`, `deep` its half hour. */
  readonly level: "quick" | "deep";
  readonly options: LatchkeyOptions;
  /** Whether states that differ only in which attempt is which are searched one by one. Absent: they count once. */
  readonly tellsAttemptsApart?: true;
}

/** What is watched on the way by every attempt that only asks for a key and executes. */
const coreInvariants: readonly WatchedInvariant[] = [
  "acceptance",
  "execution",
  "exclusion",
  "committed-blocks",
  "fail-closed",
  "ownership",
  "truthful-refusal",
  "truthful-answer",
  "record-blocks",
  "lost-replies-heal",
  "forged-never-executes",
  "no-stuck-key",
];

/** And what hardened keeps besides: as published only the queue can lose what was answered 2xx. */
const allInvariants: readonly WatchedInvariant[] = [...coreInvariants, "nothing-lost"];

/** Any number of every fault that needs no count to stay finite: more than one of each kind, and fewer states. */
const anyFaults: Readonly<Partial<Record<Fault, Budget>>> = {
  lostCall: "any",
  lostReply: "any",
  delay: "any",
  storeUnavailable: "any",
  notConnected: "any",
  softFail: "any",
  unclear: "any",
  stop: "any",
  forged: "any",
};

/** The same faults counted, once each. */
const oneOfEach: Readonly<Partial<Record<Fault, Budget>>> = {
  lostCall: 1,
  lostReply: 1,
  delay: 1,
  duplicate: 1,
  storeUnavailable: 1,
  notConnected: 1,
  softFail: 1,
  unclear: 1,
  stop: 1,
  forged: 1,
};

/** τ = 2, D = 1, ε = 1, S = 1. */
const skewed: SystemTimes = { retention: 2, deadline: 1, lag: 1, jump: 1 };
const longer: SystemTimes = { retention: 3, deadline: 2, lag: 1, jump: 1 };
const agreeing: SystemTimes = { retention: 2, deadline: 1, lag: 0, jump: 0 };

interface Setting {
  readonly attempts: number;
  readonly mode?: GatewayMode;
  readonly times?: SystemTimes;
  readonly budgets: LatchkeyOptions["budgets"];
  readonly keys?: LatchkeyOptions["keys"];
  readonly watched: readonly WatchedInvariant[];
}

/** The settings of the ablation study, which are also hardened's own for `verify`'s minute. */
export const settings: Readonly<Record<SettingName, Setting>> = {
  "two attempts": { attempts: 2, budgets: { ...anyFaults, duplicate: 1 }, watched: allInvariants },
  payloads: {
    attempts: 2,
    budgets: { ...anyFaults, otherPayload: "any" },
    watched: ["mismatch", "truthful-refusal", "record-blocks", "execution", "fail-closed"],
  },
  memory: {
    attempts: 2,
    budgets: { ...anyFaults, duplicate: 1 },
    watched: ["release-on-soft-fail", "collides-within-retention"],
  },
  window: {
    attempts: 2,
    budgets: { ...anyFaults, minute: 1 },
    keys: "fingerprint",
    watched: ["one-request-one-key", "execution"],
  },
  keys: {
    attempts: 2,
    budgets: { otherPayload: 1 },
    keys: "invalid-client",
    watched: ["isolation"],
  },
  queue: {
    attempts: 2,
    mode: "queue-everywhere",
    times: agreeing,
    budgets: { ...anyFaults, redelivery: 1, staleRead: 1 },
    watched: allInvariants,
  },
  failover: {
    attempts: 2,
    mode: "queue-failover",
    times: agreeing,
    budgets: { ...anyFaults, redelivery: 1, staleRead: 1 },
    watched: allInvariants,
  },
  "three attempts": { attempts: 3, budgets: anyFaults, watched: allInvariants },
};

export function settingOptions(name: string, policy: Policy, setting: Setting): LatchkeyOptions {
  const { attempts, watched } = setting;
  const { staleRead, ...budgets } = setting.budgets;
  const reads = staleRead !== undefined && policy.consumerGuard === "presence-mark";
  return {
    name,
    policy,
    mode: setting.mode ?? "direct",
    attempts,
    times: setting.times ?? skewed,
    // Only a consumer that looks for marks can be shown an old one.
    budgets: reads ? { ...budgets, staleRead } : budgets,
    keys: setting.keys ?? "client",
    watched,
  };
}

function scenario(
  id: string,
  title: string,
  level: Scenario["level"],
  policy: Policy,
  setting: Setting,
): Scenario {
  return { id, title, level, options: settingOptions(id, policy, setting) };
}

const core = { attempts: 3, watched: allInvariants } as const;

export const hardenedScenarios: readonly Scenario[] = [
  scenario(
    "hardened-three",
    "three attempts, any number of every fault but copies, clocks apart",
    "quick",
    hardened,
    settings["three attempts"],
  ),
  scenario(
    "hardened-copies",
    "two attempts, any number of every fault, one copy, clocks apart",
    "quick",
    hardened,
    settings["two attempts"],
  ),
  scenario("hardened-payloads", "two payloads under one key", "quick", hardened, settings.payloads),
  scenario(
    "hardened-memory",
    "what a release and an acceptance mean later",
    "quick",
    hardened,
    settings.memory,
  ),
  scenario(
    "hardened-window",
    "requests without a key, across a minute",
    "quick",
    hardened,
    settings.window,
  ),
  scenario("hardened-keys", "client keys that are not valid", "quick", hardened, settings.keys),
  scenario(
    "hardened-queue",
    "everything through the queue, one redelivery",
    "quick",
    hardened,
    settings.queue,
  ),
  scenario(
    "hardened-failover",
    "the queue where downstream cannot be reached",
    "deep",
    hardened,
    settings.failover,
  ),
  scenario("hardened-each-once", "two attempts, each fault once, counted", "deep", hardened, {
    attempts: 2,
    budgets: oneOfEach,
    watched: allInvariants,
  }),
  scenario(
    "hardened-three-copies",
    "three attempts, any number of every fault, one copy: one fault of each kind is among them",
    "deep",
    hardened,
    {
      ...core,
      budgets: { ...anyFaults, duplicate: 1 },
    },
  ),
  scenario(
    "hardened-pairs",
    "three attempts, any number of every fault, two copies: all pairs of faults are among them",
    "deep",
    hardened,
    {
      ...core,
      budgets: { ...anyFaults, duplicate: 2 },
    },
  ),
  // The same rules and faults as `hardened-three`, without the reduction: a second count of what it says.
  {
    ...scenario(
      "hardened-asynchronous",
      "three attempts told apart, any message waits for ever, any timeout comes at any moment; τ 2, D 1",
      "deep",
      hardened,
      settings["three attempts"],
    ),
    tellsAttemptsApart: true,
  },
  {
    ...scenario(
      "hardened-asynchronous-longer",
      "three attempts told apart, any message waits for ever, any timeout comes at any moment; τ 3, D 2",
      "deep",
      hardened,
      { ...core, times: longer, budgets: anyFaults },
    ),
    tellsAttemptsApart: true,
  },
  scenario(
    "hardened-two-copies",
    "two attempts, any number of every fault, two copies",
    "deep",
    hardened,
    {
      attempts: 2,
      times: longer,
      budgets: { ...anyFaults, duplicate: 2 },
      watched: allInvariants,
    },
  ),
  scenario(
    "hardened-queue-copies",
    "one attempt through the queue, a copy, clocks apart",
    "quick",
    hardened,
    {
      attempts: 1,
      mode: "queue-everywhere",
      budgets: { ...anyFaults, duplicate: 1, redelivery: 1 },
      watched: ["execution", "truthful-answer", "nothing-lost"],
    },
  ),
];

/**
 * A refuted policy is judged one invariant at a time: a history ends where an invariant breaks, and
 * what breaks first would hide what breaks later.
 */
function each(
  id: string,
  title: string,
  policy: Policy,
  setting: Omit<Setting, "watched">,
  watched: readonly WatchedInvariant[],
): readonly Scenario[] {
  return watched.map((invariant) =>
    scenario(`${id}-${invariant}`, title, "quick", policy, { ...setting, watched: [invariant] }),
  );
}

const withCopies = { ...anyFaults, duplicate: 1 };
const direct = { attempts: 2, times: agreeing, budgets: withCopies } as const;
const memoryInvariants = ["release-on-soft-fail", "collides-within-retention"] as const;

function refutedScenarios(name: string, policy: Policy): readonly Scenario[] {
  return [
    ...each(name, "two attempts, any faults", policy, direct, [
      ...coreInvariants.filter((each) => each !== "exclusion"),
      ...memoryInvariants,
    ]),
    ...each(
      name,
      "three attempts, soft-fails",
      policy,
      { ...direct, attempts: 3, budgets: { softFail: 1 } },
      ["exclusion"],
    ),
    ...each(
      name,
      "two payloads",
      policy,
      { ...direct, budgets: { ...anyFaults, otherPayload: 1 } },
      ["mismatch"],
    ),
    ...each(
      name,
      "requests without a key",
      policy,
      { ...direct, budgets: { minute: 1 }, keys: "fingerprint" },
      ["one-request-one-key"],
    ),
    ...each(
      name,
      "client keys that are not valid",
      policy,
      { ...direct, budgets: { otherPayload: 1 }, keys: "invalid-client" },
      ["isolation"],
    ),
  ];
}

const publishedScenarios: readonly Scenario[] = [
  ...refutedScenarios("published", published),
  ...each(
    "published-queue",
    "everything through the queue",
    published,
    {
      attempts: 2,
      mode: "queue-everywhere",
      times: agreeing,
      budgets: { ...anyFaults, redelivery: 1, staleRead: 1 },
    },
    ["execution", "truthful-refusal", "truthful-answer", "nothing-lost", "fail-closed"],
  ),
  ...each(
    "published-failover",
    "the queue where downstream fails",
    published,
    {
      attempts: 2,
      mode: "queue-failover",
      times: agreeing,
      budgets: { ...anyFaults, redelivery: 1, staleRead: 1 },
    },
    ["execution", "truthful-answer"],
  ),
];

/**
 * The paper's gateway has one phase: it commits and releases nothing, so that no search of it could
 * say what a settlement does. The plans of the store make such calls themselves.
 */
const ofSettlements: readonly WatchedInvariant[] = ["committed-blocks", "ownership"];

const paperScenarios: readonly Scenario[] = refutedScenarios("paper", paper).filter(
  ({ options }) => !options.watched.some((each) => ofSettlements.includes(each)),
);

export const scenarios: readonly Scenario[] = [
  ...hardenedScenarios,
  ...publishedScenarios,
  ...paperScenarios,
];

/** Whether some search of a policy, at whatever level, watches an invariant. */
export function isWatchedUnder(policy: PolicyName, invariant: WatchedInvariant): boolean {
  return scenarios.some(
    ({ options }) => options.policy.name === policy && options.watched.includes(invariant),
  );
}
