// Decides what a run leaves behind: results, the first page, and two files for each counterexample.
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { claims } from "../model/claims.ts";
import { gatewayInvariants, knownWays } from "../model/gateway-invariants.ts";
import { storeInvariants } from "../model/invariants.ts";
import { rateLimitInvariants } from "../model/rate-limit-invariants.ts";
import type { ExhaustiveVerdict } from "../properties/exhaustive/judge-exhaustively.ts";
import type { ClaimResult, Counterexample, Finding, Results } from "../properties/results.ts";
import {
  counterexampleJson,
  evidenceSteps,
  toCounterexample,
} from "../reports/counterexample-json.ts";
import {
  type BrokenSentences,
  counterexampleMarkdown,
} from "../reports/counterexample-markdown.ts";
import {
  gatewayCounterexampleMarkdown,
  gatewayEvidence,
  type GatewayFinding,
  toGatewayCounterexample,
} from "../reports/gateway-counterexample.ts";
import {
  rateLimitCounterexampleMarkdown,
  rateLimitEvidence,
  type RateLimitFinding,
  toRateLimitCounterexample,
} from "../reports/rate-limit-counterexample.ts";
import { toWitnessCounterexample, witnessMarkdown } from "../reports/witness-markdown.ts";
import { indexMarkdown } from "../reports/index-markdown.ts";
import { junitXml } from "../reports/junit.ts";
import { resultsJson } from "../reports/results-json.ts";
import { type OutputPaths, pathFrom, writeText } from "./output-paths.ts";
import type { Refusal } from "./refusal.ts";

/** A finding and the row of the results that it refutes. */
export interface NamedFinding<SomeFinding = Finding> {
  readonly claim: string;
  readonly policy: string;
  readonly target: string;
  readonly finding: SomeFinding;
}

/** A refutation by the exhaustive search, and the claim that it refutes. */
export interface NamedWitness {
  readonly claim: string;
  readonly policy: string;
  readonly verdict: ExhaustiveVerdict;
}

/** What a run has to write down. */
export interface Reported {
  readonly results: Results;
  readonly findings: readonly NamedFinding[];
  readonly gatewayFindings: readonly NamedFinding<GatewayFinding>[];
  readonly rateLimitFindings: readonly NamedFinding<RateLimitFinding>[];
  readonly witnesses: readonly NamedWitness[];
}

export interface WrittenReport {
  /** With the paths of the counterexample files. */
  readonly results: Results;
  /** The first page, as a person at the working folder would type it. */
  readonly index: string;
  /** The first file that could not be written, or null. */
  readonly refusal: Refusal | null;
}

export interface ReportPlace {
  readonly paths: OutputPaths;
  readonly cwd: string;
  /** Absolute path of the module of a target of one's own; null for built-in ones. */
  readonly targetPath: string | null;
}

export function writeReport(reported: Reported, place: ReportPlace): WrittenReport {
  const { paths, cwd } = place;
  const folder = join(paths.outDir, "counterexamples");
  removeFormer(folder);
  const files = new Map<string, string>();
  const written = new Map<string, string>();
  for (const told of toldFindings(reported, place)) {
    const key = rowKey(told.claim, told.policy, told.target);
    // Where random histories refute the claim as well, their story is the row's: it can be run anywhere.
    const suffix = written.has(key) ? " exhaustive" : "";
    const base = freshName(folder, { ...told, target: `${told.target}${suffix}` }, files);
    const path = pathFrom(cwd, `${base}.json`);
    if (!written.has(key)) written.set(key, path);
    const [counterexample, page] = told.tell(`npx latchkey rerun ${shellWord(path)}`, base);
    files.set(`${base}.json`, counterexampleJson(counterexample));
    files.set(`${base}.md`, page);
  }
  const linked = linkResults(reported.results, written);
  const index = join(paths.outDir, "index.md");
  files.set(
    index,
    indexMarkdown(linked, (path) => linkFrom(paths.outDir, cwd, path)),
  );
  files.set(join(paths.outDir, "results.json"), resultsJson(linked));
  if (paths.jsonFile !== null) files.set(paths.jsonFile, resultsJson(linked));
  if (paths.junitFile !== null) files.set(paths.junitFile, junitXml(linked));
  let refusal: Refusal | null = null;
  for (const [path, text] of files) refusal ??= writeText(path, text);
  return { results: linked, index: pathFrom(cwd, index), refusal };
}

/** What is written of a finding of any kind, once its file has a name. */
interface Told extends Pick<NamedFinding, "claim" | "policy" | "target"> {
  /** `rerun` is the command, `base` the path without its ending; gives the file and the page. */
  readonly tell: (
    rerun: string,
    base: string,
  ) => readonly [counterexample: Counterexample<unknown>, page: string];
}

/** Those of random plans first: their stories can be run anywhere. */
function toldFindings(
  { results, findings, gatewayFindings, rateLimitFindings, witnesses }: Reported,
  { targetPath }: ReportPlace,
): readonly Told[] {
  return [
    ...findings.map((named) => toldStoreFinding(named, targetPath)),
    ...gatewayFindings.map(toldGatewayFinding),
    ...rateLimitFindings.map(toldRateLimitFinding),
    ...witnesses.flatMap((named) => toldWitness(named, results.seed)),
  ];
}

function toldStoreFinding(
  { claim, policy, target, finding }: NamedFinding,
  targetPath: string | null,
): Told {
  const tell: Told["tell"] = (rerun, base) => {
    const targetFile =
      targetPath === null ? null : relative(dirname(base), targetPath).split("\\").join("/");
    const counterexample = toCounterexample(finding, { claim, policy, target, rerun, targetFile });
    const sentences = brokenSentences(claim, finding.invariant);
    return [
      counterexample,
      counterexampleMarkdown(counterexample, sentences, evidenceSteps(finding)),
    ];
  };
  return { claim, policy, target, tell };
}

function toldGatewayFinding({ finding, ...names }: NamedFinding<GatewayFinding>): Told {
  const tell: Told["tell"] = (rerun) => {
    const counterexample = toGatewayCounterexample(finding, { ...names, rerun });
    const { way } = finding.violation;
    const sentences = {
      ...brokenSentences(names.claim, finding.invariant, gatewayInvariants),
      way: way === undefined ? "" : knownWays[way],
    };
    const evidence = gatewayEvidence(finding);
    return [counterexample, gatewayCounterexampleMarkdown(counterexample, sentences, evidence)];
  };
  return { ...names, tell };
}

function toldRateLimitFinding({ finding, ...names }: NamedFinding<RateLimitFinding>): Told {
  const tell: Told["tell"] = (rerun) => {
    const counterexample = toRateLimitCounterexample(finding, { ...names, rerun });
    const sentences = brokenSentences(names.claim, finding.invariant, rateLimitInvariants);
    const evidence = rateLimitEvidence(finding);
    return [counterexample, rateLimitCounterexampleMarkdown(counterexample, sentences, evidence)];
  };
  return { ...names, tell };
}

function toldWitness({ claim, policy, verdict }: NamedWitness, seed: number): readonly Told[] {
  const { invariant, statement, witness } = verdict;
  if (witness === null) return [];
  const tell: Told["tell"] = (rerun) => {
    const names = { claim, invariant, statement, policy, seed, rerun };
    const counterexample = toWitnessCounterexample(names, witness);
    const sentences = { ...brokenSentences(claim, invariant), invariant: statement };
    return [counterexample, witnessMarkdown(counterexample, sentences)];
  };
  return [{ claim, policy, target: "model", tell }];
}

function brokenSentences(
  claimId: string,
  invariant: string,
  sentences: Readonly<Record<string, string>> = storeInvariants,
): BrokenSentences {
  const claim = claims.find(({ id }) => id === claimId);
  return {
    statement: claim?.statement ?? (claimId === invariant ? (sentences[invariant] ?? "") : ""),
    source: claim?.source ?? "",
    invariant: sentences[invariant] ?? "",
  };
}

function linkResults(results: Results, written: ReadonlyMap<string, string>): Results {
  const claimRows = results.claims.map((row: ClaimResult) => ({
    ...row,
    counterexample: written.get(rowKey(row.id, row.policy, row.target)) ?? null,
  }));
  const violations = results.violations.map((violation) => ({
    ...violation,
    counterexample: written.get(rowKey(violation.invariant, "contract", violation.target)) ?? null,
  }));
  return { ...results, claims: claimRows, violations };
}

function rowKey(claim: string, policy: string, target: string): string {
  return JSON.stringify([claim, policy, target]);
}

/** Two names that differ only in what a file name cannot carry do not share a file. */
function freshName(
  folder: string,
  { policy, target, claim }: Pick<NamedFinding, "policy" | "target" | "claim">,
  files: ReadonlyMap<string, string>,
): string {
  const name = [policy, target, claim].map(fileWord).join("-");
  for (let round = 1; ; round += 1) {
    const base = join(folder, round === 1 ? name : `${name}-${round}`);
    if (!files.has(`${base}.json`)) return base;
  }
}

function fileWord(text: string): string {
  const word = text
    .replaceAll(/[^A-Za-z0-9_]+/gu, "-")
    .replaceAll(/^-+|-+$/gu, "")
    .slice(0, 60);
  return word === "" ? "unnamed" : word;
}

function shellWord(path: string): string {
  return /^[\w./:@+-]+$/u.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`;
}

function linkFrom(outDir: string, cwd: string, counterexample: string): string {
  const story = resolve(cwd, counterexample).replace(/\.json$/u, ".md");
  return encodeURI(relative(outDir, story).split("\\").join("/"));
}

/** Takes away the counterexamples of an earlier run, and nothing that is not one. */
function removeFormer(folder: string): void {
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (!name.endsWith(".json") || !isCounterexample(path)) continue;
    rmSync(path, { force: true });
    rmSync(path.replace(/\.json$/u, ".md"), { force: true });
  }
}

function isCounterexample(path: string): boolean {
  try {
    return readFileSync(path, "utf8").startsWith('{\n  "schema": "latchkey.counterexample/1"');
  } catch {
    return false;
  }
}
