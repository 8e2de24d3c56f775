// Which policy an object decides by, which clock it reads and which shell carries its decisions out.
import { rememberDecisions } from "../model/lifecycle-table.ts";
import { policies } from "../model/policy.ts";
import type { Policy, PolicyName } from "../model/policy.ts";
import { BlockingShell } from "./blocking-shell.ts";
import type { Decide, ShellContext, StoreShell } from "./store-shell.ts";
import { TransactionShell } from "./transaction-shell.ts";

export interface StoreEnv {
  /** `paper`, `published` or `hardened`; without it the store is hardened. */
  readonly LATCHKEY_POLICY?: string;
}

export interface StoreSettings {
  readonly policy: Policy;
  readonly now: () => number;
  readonly shellOf: (context: ShellContext, state: DurableObjectState) => StoreShell;
}

/** The settings of a deployed object: real time, and the policy that its environment names. */
export function settingsOf(env: StoreEnv): StoreSettings {
  const policy = policyNamed(env.LATCHKEY_POLICY ?? "hardened");
  return { policy, now: Date.now, shellOf: shellFor(policy) };
}

/** The shell that a policy's critical section asks for. */
export function shellFor(policy: Policy): StoreSettings["shellOf"] {
  switch (policy.criticalSection) {
    case "transaction":
      return (context) => new TransactionShell(context);
    case "block-concurrency":
      return (context, state) =>
        new BlockingShell(context, (body) => state.blockConcurrencyWhile(body));
  }
}

/** The decisions of a policy: its machine's, remembered once for all objects of an isolate. */
export function decisionsOf(policy: Policy): Decide {
  const decisions = remembered.get(policy) ?? rememberDecisions(policy);
  remembered.set(policy, decisions);
  return decisions;
}

const remembered = new WeakMap<Policy, Decide>();

/** An unknown name is an error: to fall back on another policy in silence would be worse. */
function policyNamed(name: string): Policy {
  if (!Object.hasOwn(policies, name)) {
    const known = Object.keys(policies).join(", ");
    throw new Error(`unknown policy: LATCHKEY_POLICY=${name}; set it to one of ${known}`);
  }
  return policies[name as PolicyName];
}
