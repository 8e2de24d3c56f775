// The page of known witnesses: what breaks `published` and `paper`, what breaks `hardened` without one of its mechanisms, and what nobody can mend.
import { ablations } from "./ablations.ts";
import type { WitnessHunt } from "./witness-hunts.ts";

/** The hunts of one policy, each with the steps of its shortest witness. */
export interface HuntedGroup {
  readonly title: string;
  readonly hunted: readonly { readonly hunt: WitnessHunt; readonly steps: readonly string[] }[];
}

/** Markdown, in which every length is that of a history which follows or is pinned by a test. */
export function witnessPage(groups: readonly HuntedGroup[]): string {
  const lines = [
    "# Witnesses",
    "",
    "Every known way to break a policy, by name: the shortest history in the model, found by exhaustive search within the bounds that `properties/exhaustive/witness-hunts.ts` gives each. A test searches them again and compares this page; `npx vitest run --project node properties/exhaustive/witness-hunts.test.ts -u` writes it anew.",
    ...groups.flatMap(({ title, hunted }) => [
      "",
      `## ${title}`,
      "",
      "| witness | breaks | steps | what happens |",
      "| --- | --- | --- | --- |",
      ...hunted.map(({ hunt }) =>
        row([hunt.name, hunt.invariant, String(hunt.length), hunt.story]),
      ),
    ]),
    "",
    "## Hardened, without one of its mechanisms",
    "",
    "What breaks first, within the bounds of the setting that `properties/exhaustive/scenarios.ts` names; a dash where nothing does, and then what the mechanism is for.",
    "",
    "| without | breaks | steps | setting | what happens |",
    "| --- | --- | --- | --- | --- |",
    ...ablations.map(({ without, broken, note }) =>
      row([
        without,
        broken?.invariant ?? "–",
        broken === null ? "–" : String(broken.length),
        broken?.setting ?? "–",
        note,
      ]),
    ),
    "",
    "## Step by step",
    ...groups.flatMap(({ hunted }) => hunted.flatMap(({ hunt, steps }) => history(hunt, steps))),
  ];
  return `${lines.join("\n")}\n`;
}

function history({ name, invariant }: WitnessHunt, steps: readonly string[]): readonly string[] {
  return [
    "",
    `### ${name}: ${invariant}`,
    "",
    ...steps.map((step, place) => `${place + 1}. ${escaped(step)}`),
  ];
}

function row(cells: readonly string[]): string {
  return `| ${cells.map(escaped).join(" | ")} |`;
}

/** Our own words, in which only these mean something to Markdown. */
function escaped(text: string): string {
  return text.replace(/[|<>*_`]/gu, (sign) => `\\${sign}`);
}
