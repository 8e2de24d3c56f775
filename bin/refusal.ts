// Decides how a refusal is told: a value that carries one line, never a thrown error.

/** What could not be used: `message` says what happened, `field=value`, and what to do next. */
export interface Refusal {
  readonly kind: "refused";
  readonly message: string;
}

export function refuse(message: string): Refusal {
  return { kind: "refused", message: oneLine(message) };
}

/** An error of any sort as one short line. */
export function describeError(error: unknown): string {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : inspectValue(error);
  return oneLine(text).slice(0, 300);
}

/** A text without line breaks and control characters, so that it stays one line on any terminal. */
function oneLine(text: string): string {
  return text
    .replaceAll(/\s+/gu, " ")
    .replaceAll(
      /[\p{Cc}\p{Cf}\p{Cs}]/gu,
      (unit) => `\\u{${(unit.codePointAt(0) ?? 0).toString(16)}}`,
    )
    .trim();
}

function inspectValue(value: unknown): string {
  try {
    return JSON.stringify(value) ?? typeof value;
  } catch {
    return "a value that cannot be shown";
  }
}
