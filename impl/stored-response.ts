// Which parts of a response a committed key keeps, and how they are written and read back.
import * as v from "valibot";

export interface StoredResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Only these headers are kept: others describe the connection, the moment, or the client. */
const storedHeaders: readonly string[] = ["content-type", "content-language", "location"];

export function writeStoredResponse(response: StoredResponse): string {
  return JSON.stringify(response);
}

/** Reads a stored response; null where the text is none, or names headers that are not kept. */
export function readStoredResponse(text: string | null): StoredResponse | null {
  if (text === null) return null;
  try {
    const reading = v.safeParse(storedResponseSchema, JSON.parse(text));
    return reading.success ? reading.output : null;
  } catch {
    return null;
  }
}

const storedResponseSchema = v.object({
  status: v.pipe(v.number(), v.integer(), v.minValue(200), v.maxValue(299)),
  headers: v.record(v.picklist(storedHeaders), v.string()),
  body: v.string(),
});
