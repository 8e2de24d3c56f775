// Decides how a story reads on a terminal: one numbered line a step, what the store holds beneath it.
import type { CounterexampleStep } from "../properties/results.ts";
import { visibleLine } from "./show-text.ts";

/** `unit` is that of the times: milliseconds, or ticks of the exhaustively searched model. */
export function storyText(
  steps: readonly CounterexampleStep[],
  unit: "ms" | "tick" = "ms",
): string {
  const timeWidth = Math.max(...steps.map(({ at }) => String(at).length), 1);
  return steps
    .map(({ step, at, actor, action, detail, state }, index) => {
      const time =
        unit === "ms"
          ? `${String(at).padStart(timeWidth)} ms`
          : `tick ${String(at).padStart(timeWidth)}`;
      const got = detail === "" ? "" : ` → ${visibleLine(detail)}`;
      const line = `${String(step).padStart(3)}. ${time}  ${visibleLine(`${actor} ${action}`)}${got}\n`;
      const isNews = state !== steps[index - 1]?.state;
      return isNews
        ? `${line}${" ".repeat(timeWidth + (unit === "ms" ? 10 : 12))}[${visibleLine(state)}]\n`
        : line;
    })
    .join("");
}
