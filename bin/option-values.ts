// Decides which values of options can be used, and says in one line why another cannot.
import { refuse, type Refusal } from "./refusal.ts";

export const policyNames = ["paper", "published", "hardened"] as const;
export type KnownPolicy = (typeof policyNames)[number];

/** For SPIN, for Rumur, for Graphviz. */
export const exportFormats = ["promela", "murphi", "dot"] as const;
export type KnownFormat = (typeof exportFormats)[number];

const mostRuns = 1_000_000;
const mostBudgetSeconds = 86_400;
/** Of an exported system: more than eight would need wider states than are searched, and eight do in some scenarios. */
export const mostAttempts = 8;
const leastSeed = -(2 ** 31);
const mostSeed = 2 ** 31 - 1;

export function parseRuns(text: string): number | Refusal {
  const runs = wholeNumber(text);
  if (runs !== null && runs >= 1 && runs <= mostRuns) return runs;
  return refuse(
    `the number of histories is not a whole number from 1 to ${mostRuns}: --runs=${shown(text)}; give for example --runs 2000`,
  );
}

export function parseSeed(text: string): number | Refusal {
  const seed = wholeNumber(text);
  if (seed !== null && seed >= leastSeed && seed <= mostSeed) return seed;
  return refuse(
    `the seed is not a 32-bit whole number (${leastSeed} to ${mostSeed}): --seed=${shown(text)}; give for example --seed 42`,
  );
}

export function parseAttempts(text: string): number | Refusal {
  const attempts = wholeNumber(text);
  if (attempts !== null && attempts >= 1 && attempts <= mostAttempts) return attempts;
  return refuse(
    `the number of attempts is not a whole number from 1 to ${mostAttempts}: --attempts=${shown(text)}; give for example --attempts 2`,
  );
}

/** A time in seconds, which may have a fraction, as milliseconds. */
export function parseBudget(text: string): number | Refusal {
  const seconds = /^\d+(\.\d+)?$/u.test(text) ? Number(text) : Number.NaN;
  if (seconds > 0 && seconds <= mostBudgetSeconds) return Math.max(1, Math.round(seconds * 1000));
  return refuse(
    `the budget is not a number of seconds above 0, at most ${mostBudgetSeconds}: --budget=${shown(text)}; give for example --budget 60`,
  );
}

export const exhaustiveLevels = ["quick", "deep", "off"] as const;
export type ExhaustiveLevel = (typeof exhaustiveLevels)[number];

export function parseExhaustive(text: string): ExhaustiveLevel | Refusal {
  const known = exhaustiveLevels.find((level) => level === text);
  if (known !== undefined) return known;
  return refuse(
    `no such level of search: --exhaustive=${shown(text)}; take one of ${exhaustiveLevels.join(", ")}`,
  );
}

const mostStates = 200_000_000;

export function parseMaxStates(text: string): number | Refusal {
  const states = wholeNumber(text);
  if (states !== null && states >= 1 && states <= mostStates) return states;
  return refuse(
    `the bound of states is not a whole number from 1 to ${mostStates}: --max-states=${shown(text)}; give for example --max-states 5000000`,
  );
}

const leastMebibytes = 16;
const mostMebibytes = 65_536;

export function parseMaxMemory(text: string, freeMebibytes: number): number | Refusal {
  const mebibytes = wholeNumber(text);
  if (mebibytes === null || mebibytes < leastMebibytes || mebibytes > mostMebibytes) {
    return refuse(
      `the bound of memory is not a whole number of MiB from ${leastMebibytes} to ${mostMebibytes}: --max-memory=${shown(text)}; give for example --max-memory 2048`,
    );
  }
  if (mebibytes <= freeMebibytes) return mebibytes;
  return refuse(
    `the bound of memory does not fit this machine: --max-memory=${mebibytes}, MiB in all=${freeMebibytes}; give less`,
  );
}

export function parsePolicy(text: string): readonly KnownPolicy[] | Refusal {
  if (text === "all") return policyNames;
  const known = policyNames.find((name) => name === text);
  if (known !== undefined) return [known];
  return refuse(
    `no such policy: --policy=${shown(text)}; take one of ${policyNames.join(", ")}, all`,
  );
}

export function parseClaims(
  ids: readonly string[],
  knownIds: readonly string[],
): readonly string[] | Refusal {
  const unknown = ids.find((id) => !knownIds.includes(id));
  if (unknown === undefined) return [...new Set(ids)];
  return refuse(`no such claim: --claim=${shown(unknown)}; take one of ${knownIds.join(", ")}`);
}

/** A value as a message shows it: short, and empty values visible. */
export function shown(text: string): string {
  if (text === "") return '""';
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

function wholeNumber(text: string): number | null {
  if (!/^[+-]?\d{1,16}$/u.test(text)) return null;
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : null;
}
