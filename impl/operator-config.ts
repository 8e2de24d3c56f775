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
  if (typeof answer !== "string") return closedConfig;
  try {
    const reading = v.safeParse(configSchema, JSON.parse(answer));
    return reading.success ? reading.output : closedConfig;
  } catch {
    return closedConfig;
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
