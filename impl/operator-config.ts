// Whether the operator lets requests in at all, and from which addresses; what is not clearly allowed is not.
import * as v from "valibot";

export interface OperatorConfig {
  readonly killSwitch: "on" | "off";
  /** Exact addresses, or the single entry `*` for all. */
  readonly allowedAddresses: readonly string[];
}

/** The key of the KV namespace `CONFIG` under which the operator's JSON lies. */
export const operatorConfigName = "gateway";

/** A config that is missing or malformed is closed. */
export const closedConfig: OperatorConfig = { killSwitch: "on", allowedAddresses: [] };

/** Reads `{"killSwitch":"off","allowedAddresses":["*"]}`; anything else is closed. */
export function readOperatorConfig(answer: unknown): OperatorConfig {
  return parseConfig(answer).config;
}

/** Why a config is closed that did not say so, for the operator; null where it can be read. */
export function faultOfConfig(answer: unknown): string | null {
  const { fault } = parseConfig(answer);
  return fault && `the key ${operatorConfigName} of CONFIG ${fault}: the gateway is closed`;
}

function parseConfig(answer: unknown): {
  readonly config: OperatorConfig;
  readonly fault: string | null;
} {
  if (typeof answer !== "string") return { config: closedConfig, fault: "is missing" };
  try {
    const reading = v.safeParse(configSchema, JSON.parse(answer));
    if (reading.success) return { config: reading.output, fault: null };
    const place = v.getDotPath(reading.issues[0]) ?? "its top";
    return { config: closedConfig, fault: `is not valid at ${place}` };
  } catch {
    return { config: closedConfig, fault: "is no JSON" };
  }
}

/** `address` is what the platform saw, null where it did not say. */
export function isAllowed(config: OperatorConfig, address: string | null): boolean {
  const { allowedAddresses } = config;
  return allowedAddresses.includes("*") || (address !== null && allowedAddresses.includes(address));
}

const configSchema = v.strictObject({
  killSwitch: v.picklist(["on", "off"]),
  allowedAddresses: v.array(v.pipe(v.string(), v.minLength(1))),
});
