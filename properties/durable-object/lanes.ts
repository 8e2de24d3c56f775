// Which standing objects the harness runs histories on, one history at a time on each.
import type { StoreSettings } from "../../impl/store-settings.ts";
import { shellFor } from "../../impl/store-settings.ts";
import { mutants } from "./mutants.ts";
import type { StoreChoice } from "./protocol.ts";

/** A standing object: used by one session after another, emptied in between. */
export interface Lane {
  /** Also the name of its object. */
  readonly name: string;
  readonly store: StoreChoice;
  /** The object's clock; harness and object share one isolate, so that it needs no call. */
  readonly clock: { nowMs: number };
  /** Timers of its object that the plan has opened and the object has still to fire. */
  readonly opened: (() => void)[];
}

/**
 * Where each session's time begins. It is so far ahead that the runtime's own alarm clock, which
 * stays on real time, never rings; alarms ring by `HarnessStore.fire`.
 */
export const epochMs = 4_000_000_000_000;

/** A lane that no session uses, or a new one. */
export function takeLane(store: StoreChoice): Lane {
  const kind = kindOf(store);
  const lane = idle.get(kind)?.pop() ?? newLane(kind, store);
  lane.clock.nowMs = epochMs;
  return lane;
}

/** A session gives its lane back; it must have no call under way there. */
export function giveLaneBack(lane: Lane): void {
  const kind = kindOf(lane.store);
  const lanes = idle.get(kind);
  if (lanes === undefined) idle.set(kind, [lane]);
  else lanes.push(lane);
}

/** The lane whose object has this name. */
export function laneNamed(name: string | undefined): Lane {
  const lane = lanesByName.get(name ?? "");
  if (lane === undefined) throw new Error(`no lane has this name: name=${name}; take a lane first`);
  return lane;
}

/** The settings of a lane's object; asked again after each crash. */
export function laneSettings({ store, clock }: Lane): StoreSettings {
  const { policy, mutant } = store;
  return {
    policy,
    now: () => clock.nowMs,
    shellOf: mutant === null ? shellFor(policy) : mutants[mutant],
  };
}

const idle = new Map<string, Lane[]>();
const lanesByName = new Map<string, Lane>();

function newLane(kind: string, store: StoreChoice): Lane {
  const name = `lane ${lanesByName.size} of ${kind}`;
  const lane: Lane = { name, store, clock: { nowMs: epochMs }, opened: [] };
  lanesByName.set(lane.name, lane);
  return lane;
}

/** The whole policy, not only its name, so that two ablations never share an object. */
function kindOf({ policy, mutant }: StoreChoice): string {
  return `${mutant ?? "store"} under ${JSON.stringify(policy)}`;
}
