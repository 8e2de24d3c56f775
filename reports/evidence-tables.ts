// Decides how the evidence is shown: how each verdict was judged, and which situations occurred.
import Table from "cli-table3";
import colors from "picocolors";
import type { ClaimResult, MethodResult, Results } from "../properties/results.ts";
import { distinct, isUnbuilt, type TableOptions } from "./claims-table.ts";
import { visibleLine } from "./show-text.ts";

type Paint = ReturnType<typeof colors.createColors>;

const countNames = ["histories", "operations", "states", "edges", "depth"] as const;

/** One row for each policy × target × method; a column for each count that occurs. */
export function methodsTable(results: Results, options: TableOptions): string {
  const paint = colors.createColors(options.color);
  const groups = methodGroups(results.claims);
  const counted = countNames.filter((name) =>
    groups.some(({ methods }) => largest(methods, name) !== null),
  );
  if (groups.length === 0) return "";
  const heads = ["policy", "target", "method, bounds", ...counted];
  const table = new Table({
    head: heads.map((head) => paint.bold(head)),
    colWidths: [12, targetWidth(groups), options.columns < 100 ? 22 : 36],
    colAligns: ["left", "left", "left", ...counted.map(() => "right" as const)],
    wordWrap: true,
    style: { head: [], border: [], compact: true },
  });
  for (const { policy, target, kind, methods } of groups) {
    const counts = counted.map((name) => grouped(largest(methods, name) ?? "–"));
    table.push([...[policy, target, methodText(kind, methods)].map(visibleLine), ...counts]);
  }
  return `${table.toString()}\n`;
}

/** Names have no spaces at which they could be wrapped. */
function targetWidth(groups: readonly MethodGroup[]): number {
  return Math.max(16, ...groups.map(({ target }) => Math.min(40, visibleLine(target).length) + 2));
}

interface MethodGroup {
  readonly policy: string;
  readonly target: string;
  readonly kind: string;
  readonly methods: MethodResult[];
}

function methodGroups(claims: readonly ClaimResult[]): readonly MethodGroup[] {
  const groups = new Map<string, MethodGroup>();
  for (const { policy, target, methods } of claims) {
    for (const method of methods) {
      const id = JSON.stringify([policy, target, method.kind]);
      const group = groups.get(id) ?? { policy, target, kind: method.kind, methods: [] };
      groups.set(id, group);
      group.methods.push(method);
    }
  }
  return [...groups.values()];
}

/** The seed is said once for the whole run. */
function methodText(kind: string, methods: readonly MethodResult[]): string {
  if (kind === "exhaustive") return exhaustiveText(methods);
  const bounds = methods.flatMap((method) =>
    Object.entries(method.bounds)
      .filter(([name]) => name !== "seed")
      .map(([name, value]) => `${name} ${grouped(value)}`),
  );
  return [kind, ...distinct(bounds)].join(", ");
}

/** Each search has a dozen bounds; the results file has them all. */
function exhaustiveText(methods: readonly MethodResult[]): string {
  const scenarios = distinct(methods.flatMap(({ bounds }) => bounds["scenario"] ?? []));
  if (scenarios.length === 0) return "exhaustive, not begun";
  const attempts = methods.flatMap(({ bounds }) =>
    typeof bounds["attempts"] === "number" ? bounds["attempts"] : [],
  );
  const searches = `${scenarios.length} ${scenarios.length === 1 ? "search" : "searches"}`;
  return `exhaustive, ${searches}, up to ${Math.max(...attempts)} attempts`;
}

/** Claims that one campaign judged together share its histories, so that counts never add up. */
function largest(
  methods: readonly MethodResult[],
  name: (typeof countNames)[number],
): number | null {
  const counts = methods.flatMap(({ evidence }) => evidence[name] ?? []);
  return counts.length === 0 ? null : Math.max(...counts);
}

/** Each policy × target × method counts once. */
export function totalHistories(results: Results): number {
  return methodGroups(results.claims)
    .map(({ methods }) => largest(methods, "histories") ?? 0)
    .reduce((sum, count) => sum + count, 0);
}

export function sometimesTable(results: Results, options: TableOptions): string {
  const paint = colors.createColors(options.color);
  const judged = results.claims.filter((claim) => !isUnbuilt(claim));
  const policies = distinct(judged.map(({ policy }) => policy));
  const situations = distinct(
    results.claims.flatMap(({ methods }) =>
      methods.flatMap(({ evidence }) => Object.keys(evidence.sometimes ?? {})),
    ),
  );
  if (situations.length === 0) return "";
  const table = new Table({
    head: ["situation (in how many histories)", ...policies].map((head) => paint.bold(head)),
    colAligns: ["left", ...policies.map(() => "right" as const)],
    style: { head: [], border: [], compact: true },
  });
  for (const situation of situations) {
    const counts = policies.map((policy) => countOf(results, policy, situation));
    table.push([visibleLine(situation), ...counts.map((count) => countText(count, paint))]);
  }
  return `${table.toString()}\n`;
}

/** Over the targets of a policy; on each target the largest count of its claims. */
function countOf(results: Results, policy: string, situation: string): number | null {
  const rows = results.claims.filter((claim) => claim.policy === policy);
  const counts = distinct(rows.map(({ target }) => target)).flatMap((target) => {
    const seen = rows
      .filter((row) => row.target === target)
      .flatMap(({ methods }) => methods.flatMap((m) => m.evidence.sometimes?.[situation] ?? []));
    return seen.length === 0 ? [] : [Math.max(...seen)];
  });
  return counts.length === 0 ? null : counts.reduce((sum, count) => sum + count, 0);
}

function countText(count: number | null, paint: Paint): string {
  if (count === null) return "–";
  return count === 0 ? paint.yellow("never") : grouped(count);
}

/** 12345 as `12,345`. */
function grouped(value: number | string): string {
  return typeof value === "number" ? value.toLocaleString("en-US") : value;
}

/** For example `1 history`, `12,345 histories`. */
export function historiesText(count: number): string {
  return `${grouped(count)} ${count === 1 ? "history" : "histories"}`;
}
