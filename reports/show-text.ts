// Decides how a text of any UTF-16 units is shown: quoted, escaped, abbreviated, harmless in Markdown.

const mostShownUnits = 48;
const headUnits = 30;
const tailUnits = 8;

/** A key, token or other datum in quotes: printable ASCII as it is, everything else as `\uXXXX`. */
export function showText(text: string): string {
  if (text.length <= mostShownUnits) return `"${escapeUnits(text)}"`;
  const head = escapeUnits(text.slice(0, headUnits));
  const tail = escapeUnits(text.slice(-tailUnits));
  return `"${head}…${tail}" (${text.length} units)`;
}

/** A text as a Markdown code span; `showText` leaves no backtick, pipe or line break in it. */
export function codeSpan(text: string): string {
  return `\`${showText(text)}\``;
}

/** A sentence as Markdown prose: nothing in it is markup, and it stays on one line. */
export function proseMarkdown(text: string): string {
  return visibleLine(text)
    .replaceAll(/[\\`*_{}[\]()#+!|~$@:]/gu, (mark) => (harmless.has(mark) ? mark : `\\${mark}`))
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replace(/^[-=+#]/u, String.raw`\$&`)
    .replace(/^(\d+)([.)])/u, String.raw`$1\$2`);
}

/** A text on one line: line breaks as spaces, control and direction characters as `\uXXXX`. */
export function visibleLine(text: string): string {
  return text
    .replaceAll(/\s+/gu, " ")
    .replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/gu, escapeUnit)
    .trim();
}

/** Marks that are read as text where they stand inside a sentence. */
const harmless = new Set(["(", ")", "+", ":", "!", "{", "}", "$", "@", "#"]);

function escapeUnits(text: string): string {
  return Array.from({ length: text.length }, (_, index) => {
    const unit = text.charAt(index);
    if (unit === '"') return String.raw`\"`;
    if (unit === "\\") return "\\\\";
    return /[ !#-[\]-_a-{}~]/u.test(unit) ? unit : escapeUnit(unit);
  }).join("");
}

function escapeUnit(text: string): string {
  return Array.from(
    { length: text.length },
    (_, index) => `\\u${text.charCodeAt(index).toString(16).padStart(4, "0")}`,
  ).join("");
}
