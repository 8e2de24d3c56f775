// A system as a Murphi model whose states and rules fired Rumur counts as we do, with and without symmetry.
import { requireWellFormed } from "./check-system.ts";
import type { ExportOptions, GraphCounts } from "./export-promela.ts";
import { murphiName, MurphiText } from "./murphi-text.ts";
import type {
  Domain,
  InitialValues,
  LocalDeclaration,
  Property,
  Rule,
  Statement,
  System,
  VariableDeclaration,
} from "./system-language.ts";
import { initialValues, kindOf, symmetricSet } from "./system-values.ts";

/**
 * The system as rulesets over the attempts, which are a scalarset: one text serves both searches, with
 * `--symmetry-reduction exhaustive` and with `off`. An `always` is an invariant, a `sometimes` a cover, and a
 * `reachable` is what Rumur calls liveness: from every state a path leads to a state where it holds.
 * `eventually` cannot be stated, and a comment says so. The end predicate is an invariant: in every state some rule is enabled, or it holds.
 */
export function exportMurphi(system: System, options: ExportOptions = {}): string {
  requireWellFormed(system);
  const text = new MurphiText(system);
  const rules = system.rules.flatMap((each) => ruleText(text, each));
  const properties = [
    ...system.properties
      .filter((each) => isCarried(each, options))
      .flatMap((each) => propertyText(text, each)),
    ...endText(system, text),
    ...notStated(system),
  ];
  const lines = [
    ...head(system, options),
    ...constants(system),
    ...types(system),
    ...variables(system, text),
    ...tables(system, text),
    ...text.functions.flatMap((each) => [each, ""]),
    ...rules,
    ...initialValues(system).flatMap((each, place) => startState(system, each, place)),
    ...properties,
  ];
  return `${lines.join("\n")}\n`;
}

/** What Rumur prints for a system of these counts: states as ours; "rules fired" are our edges; start states are none. */
export function rumurCounts(counts: GraphCounts): {
  readonly states: number;
  readonly rules: number;
} {
  return { states: counts.states, rules: counts.edges };
}

function isCarried({ id, kind }: Property, { propertyIds }: ExportOptions): boolean {
  return kind !== "eventually" && (propertyIds === undefined || propertyIds.includes(id));
}

function head(system: System, options: ExportOptions): readonly string[] {
  const { expected, about = [] } = options;
  const counts = expected === undefined ? null : rumurCounts(expected);
  return [
    `-- ${system.name}, exported from Latchkey for Rumur.`,
    ...about.map((each) => `-- ${each}`),
    "-- Run: rumur --symmetry-reduction off --deadlock-detection off --value-type int32_t --output model.c FILE",
    "--      gcc -O3 -march=native -mcx16 -o model model.c -lpthread && ./model",
    "-- With --symmetry-reduction exhaustive states that differ by a permutation of the attempts count as one.",
    ...(counts === null
      ? []
      : [
          `-- Latchkey counts, and Rumur must: ${counts.states} states, ${counts.rules} rules fired.`,
        ]),
    "",
  ];
}

function constants(system: System): readonly string[] {
  const lines = new Set<string>();
  for (const domain of namedDomains(system)) {
    domain.values.forEach((each, value) =>
      lines.add(`  ${murphiName(`${domain.name}_${each}`)}: ${value};`),
    );
  }
  for (const { name, size, symmetric } of system.indexSets) {
    if (!symmetric) lines.add(`  no_${name}: ${size};`);
  }
  return lines.size === 0 ? [] : ["const", ...lines, ""];
}

function types(system: System): readonly string[] {
  const sets = system.indexSets.map(({ name, size, symmetric }) =>
    symmetric
      ? `  ${murphiName(name)}: scalarset(${size});`
      : `  ${murphiName(name)}: 0..${size - 1};`,
  );
  const named = new Set(
    namedDomains(system).map(
      ({ name, values }) => `  ${murphiName(name)}_values: 0..${values.length - 1};`,
    ),
  );
  return ["type", ...sets, ...named, ""];
}

function namedDomains(system: System) {
  const domains: readonly Domain[] = [
    ...system.variables.map(({ domain }) => domain),
    ...system.tables.map(({ result }) => result),
    ...system.rules.flatMap((each) =>
      [...each.parameters, ...localsOf(each.body)].map(({ domain }) => domain),
    ),
  ];
  return domains.filter((each) => each.kind === "named");
}

function variables(system: System, text: MurphiText): readonly string[] {
  const declared = system.variables.map(({ name, domain, over }) => {
    const type = text.type(domain);
    return `  ${murphiName(name)}: ${over === null ? type : `array[${murphiName(over)}] of ${type}`};`;
  });
  return ["var", ...declared, ""];
}

/** Murphi has no constant arrays; a table is a function. */
function tables(system: System, text: MurphiText): readonly string[] {
  return system.tables.flatMap(({ name, dimensions, values, result }) => {
    const parameters = dimensions.map((size, dimension) => `i${dimension}: 0..${size - 1}`);
    const place = dimensions.reduce(
      (sum, size, dimension) => (dimension === 0 ? "i0" : `(${sum}) * ${size} + i${dimension}`),
      "",
    );
    const entry = (value: number) => (result.kind === "flag" ? String(value === 1) : String(value));
    const last = values.length - 1;
    return [
      `function ${murphiName(name)}(${parameters.join("; ")}): ${text.type(result)};`,
      "begin",
      `  switch ${place}`,
      ...values.slice(0, last).map((value, at) => `    case ${at}: return ${entry(value)};`),
      `    else return ${entry(values[last] ?? 0)};`,
      "  endswitch;",
      "end;",
      "",
    ];
  });
}

function ruleText(text: MurphiText, rule: Rule): readonly string[] {
  const locals = localsOf(rule.body).map((each) => `  var ${text.declared(each)};`);
  const unique = [...new Set(locals)];
  const lines = [
    `rule "${rule.name}"`,
    `  ${text.expression(rule.guard)}`,
    "==>",
    ...unique,
    "begin",
    ...text.statements(rule.body, "  "),
    "end;",
  ];
  if (rule.parameters.length === 0) return [...lines, ""];
  const parameters = rule.parameters.map((each) => text.declared(each)).join("; ");
  return [`ruleset ${parameters} do`, ...lines, "end;", ""];
}

function localsOf(statements: readonly Statement[]): readonly LocalDeclaration[] {
  return statements.flatMap((each) => {
    if (each.kind === "let") return [each.local, ...localsOf(each.body)];
    if (each.kind === "for") return localsOf(each.body);
    return each.kind === "if" ? [...localsOf(each.then), ...localsOf(each.otherwise)] : [];
  });
}

function propertyText(text: MurphiText, { id, kind, statement, predicate }: Property) {
  const word = kind === "always" ? "invariant" : kind === "sometimes" ? "cover" : "liveness";
  return [`-- ${statement}`, `${word} "${id}" ${text.expression(predicate)};`, ""];
}

function notStated(system: System): readonly string[] {
  return system.properties
    .filter(({ kind }) => kind === "eventually")
    .map(
      ({ id, statement }) =>
        `-- Not part of this model, which has no word for it: eventually ${id}: ${statement}`,
    );
}

function endText(system: System, text: MurphiText): readonly string[] {
  if (system.end === null) return [];
  const enabled = system.rules.map(({ parameters, guard }) =>
    parameters.reduceRight(
      (body, each) => `(exists ${text.declared(each)} do ${body} end)`,
      text.expression(guard),
    ),
  );
  const goes = [...enabled, text.expression(system.end)].join("\n  | ");
  return [
    "-- A state in which no rule is enabled is a proper end.",
    `invariant "ends properly"\n  ${goes};`,
  ];
}

/** The members of a scalarset have no names, so that values that differ are dealt out while looping over them. */
function startState(system: System, values: InitialValues, place: number): readonly string[] {
  const set = symmetricSet(system);
  const lines = system.variables.flatMap((variable) => {
    const given = values[variable.name];
    const elements = typeof given === "number" ? [given] : (given ?? []);
    return elements.flatMap((value, element) =>
      startValue(system, variable, value, element, elements),
    );
  });
  const counters = ["place", "place_other"].filter((each) =>
    lines.some((line) => line.includes(`${each} := 0`)),
  );
  return [
    `startstate "initial ${place + 1}"`,
    ...counters.map((each) => `  var ${each}: 0..${set?.size ?? 0};`),
    "begin",
    ...lines,
    "end;",
    "",
  ];
}

function startValue(
  system: System,
  variable: VariableDeclaration,
  value: number,
  element: number,
  elements: readonly number[],
): readonly string[] {
  const set = symmetricSet(system);
  const name = murphiName(variable.name);
  const overMembers = set !== null && variable.over === set.name;
  const isMember = kindOf(variable.domain, system).startsWith("member");
  const put = (target: string) => {
    if (!isMember) return `${target} := ${literal(variable.domain, value)};`;
    return value === set?.size ? `undefine ${target};` : null;
  };
  if (!overMembers) {
    const target = variable.over === null ? name : `${name}[${element}]`;
    const text = put(target);
    return [
      text === null ? deal(set?.name ?? "", value, `${target} := dealt_member;`) : `  ${text}`,
    ];
  }
  const text = put(`${name}[dealt_member]`);
  if (text !== null && elements.every((each) => each === value)) {
    return element === 0 ? [`  for dealt_member: ${murphiName(set.name)} do ${text} end;`] : [];
  }
  if (text !== null) return [deal(set.name, element, text)];
  const other = deal(set.name, value, `${name}[dealt_member] := dealt_other;`, "dealt_other");
  return [deal(set.name, element, other.trim())];
}

function deal(set: string, member: number, text: string, loop = "dealt_member"): string {
  const counter = loop === "dealt_member" ? "place" : "place_other";
  return `  ${counter} := 0; for ${loop}: ${murphiName(set)} do if ${counter} = ${member} then ${text} end; if ${counter} < ${member} + 1 then ${counter} := ${counter} + 1; end; end;`;
}

function literal(domain: Domain, value: number): string {
  if (domain.kind === "flag") return String(value === 1);
  const name = domain.kind === "named" ? domain.values[value] : undefined;
  return domain.kind === "named" && name !== undefined
    ? murphiName(`${domain.name}_${name}`)
    : String(value);
}
