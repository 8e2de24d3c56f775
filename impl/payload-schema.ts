// Which payloads are trades, and which of them are the same trade: the schema and its canonical form.
import * as v from "valibot";
import { readDecimal } from "./decimal.ts";
import { JsonNumber, type JsonValue } from "./strict-json.ts";

/** A trade in canonical form: spellings that mean the same trade give equal fields. */
export interface Trade {
  /** Lower case. */
  readonly exchange: string;
  /** Upper case; separators are part of it: `BTC/USDT` is not `BTCUSDT`. */
  readonly symbol: string;
  readonly action: "buy" | "sell";
  /** Canonical positive decimal. */
  readonly quantity: string;
  /** Canonical positive decimal of a limit order, or null for a market order. */
  readonly price: string | null;
}

export type PayloadReading =
  | { readonly outcome: "trade"; readonly trade: Trade }
  | { readonly outcome: "refused"; readonly detail: string };

/** The field of the payload that carries the client's key; it is no part of the trade. */
export const keyField = "idempotencyKey";

/**
 * Reads a trade from a JSON value. A field that the schema does not know is refused: it would be
 * missing from the fingerprint, and two different payloads would count as one.
 */
export function readTrade(value: JsonValue): PayloadReading {
  if (!(value instanceof Map)) return refused("the payload must be a JSON object");
  const fields = new Map(value as ReadonlyMap<string, JsonValue>);
  fields.delete(keyField);
  const unknown = [...fields.keys()].find((name) => !Object.hasOwn(tradeSchema.entries, name));
  if (unknown !== undefined) {
    return refused(`the payload has a field that is not known: allowed=${knownFields}`);
  }
  const reading = v.safeParse(tradeSchema, Object.fromEntries(fields), { abortEarly: true });
  if (reading.success) return { outcome: "trade", trade: reading.output };
  const [issue] = reading.issues;
  return refused(`field=${v.getDotPath(issue) ?? "payload"} ${issue.message}`);
}

/** The text that the fingerprint digests: injective over canonical trades. */
export function canonicalText(trade: Trade): string {
  const { exchange, symbol, action, quantity, price } = trade;
  return JSON.stringify(["trade/1", exchange, symbol, action, quantity, price]);
}

const decimal = v.pipe(
  v.union([v.string(), v.instance(JsonNumber)], "must be a decimal, as a number or a string"),
  v.rawTransform<string | JsonNumber, string>(({ dataset, addIssue, NEVER }) => {
    const { value } = dataset;
    const reading = readDecimal(value instanceof JsonNumber ? value.literal : value);
    if (reading.outcome === "decimal") return reading.text;
    addIssue({ message: reading.detail });
    return NEVER;
  }),
);

const tradeSchema = v.object({
  exchange: v.pipe(
    v.string("must be a string"),
    v.regex(/^[A-Za-z0-9_-]{1,32}$/, "must be 1 to 32 of A-Z a-z 0-9 _ -"),
    v.toLowerCase(),
  ),
  symbol: v.pipe(
    v.string("must be a string"),
    v.regex(/^[A-Za-z0-9._/-]{1,32}$/, "must be 1 to 32 of A-Z a-z 0-9 . _ / -"),
    v.toUpperCase(),
  ),
  action: v.pipe(
    v.string("must be a string"),
    v.regex(/^(?:[Bb][Uu][Yy]|[Ss][Ee][Ll][Ll])$/, "must be buy or sell"),
    v.transform((action) => action.toLowerCase() as Trade["action"]),
  ),
  quantity: decimal,
  price: v.optional(v.nullable(decimal), null),
});

const knownFields = [...Object.keys(tradeSchema.entries), keyField].join(",");

function refused(detail: string): PayloadReading {
  return { outcome: "refused", detail };
}
