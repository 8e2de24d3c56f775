import { describe, expect, it } from "vitest";
import { parseCommandLine } from "./command-line.ts";

const known = {
  version: "1.2.3",
  claimIds: ["at-most-once-acceptance", "execution"],
  contractIds: ["ownership", "at-most-once-acceptance"],
};
const parse = (...args: string[]) => parseCommandLine(args, known);

describe("arguments that can be used", () => {
  it("are verify's, with defaults", () => {
    expect(parse("verify")).toEqual({
      kind: "verify",
      policies: ["paper", "published", "hardened"],
      claimIds: null,
      runs: null,
      seed: null,
      budgetMs: null,
      outDir: "reports/out",
      jsonFile: null,
      junitFile: null,
      exhaustive: "quick",
      maxStates: null,
      maxMemoryMebibytes: null,
    });
  });

  it("are all of verify's options, in both spellings", () => {
    const spaced =
      "verify --policy hardened --claim execution --runs 10 --seed -7 --budget 1.5 --out o --json j --junit x --exhaustive deep --max-states 9 --max-memory 64";
    const joined =
      "verify --policy=hardened --claim=execution --runs=10 --seed=-7 --budget=1.5 --out=o --json=j --junit=x --exhaustive=deep --max-states=9 --max-memory=64";
    const expected = {
      kind: "verify",
      policies: ["hardened"],
      claimIds: ["execution"],
      runs: 10,
      seed: -7,
      budgetMs: 1500,
      outDir: "o",
      jsonFile: "j",
      junitFile: "x",
      exhaustive: "deep",
      maxStates: 9,
      maxMemoryMebibytes: 64,
    };
    expect(parse(...spaced.split(" "))).toEqual(expected);
    expect(parse(...joined.split(" "))).toEqual(expected);
  });

  it("are a target, by an invariant of the contract or a claim about a store", () => {
    const read = parse("check", "--target", "my store.ts", "--claim", "ownership");
    expect(read).toMatchObject({
      kind: "check",
      targetFile: "my store.ts",
      claimIds: ["ownership"],
    });
  });

  it("are a counterexample to rerun", () => {
    expect(parse("rerun", "x.json")).toEqual({ kind: "rerun", file: "x.json", targetFile: null });
    expect(parse("rerun", "x.json", "--target", "t.ts")).toMatchObject({ targetFile: "t.ts" });
  });

  it("are an export, to stdout or to a file", () => {
    expect(parse("export", "--format", "promela", "--policy", "paper")).toEqual({
      kind: "export",
      format: "promela",
      policy: "paper",
      scenarioId: null,
      attempts: null,
      outFile: null,
    });
    const all =
      "export --format=dot --policy=hardened --scenario=hardened-keys --attempts=3 --out=x.dot";
    expect(parse(...all.split(" "))).toEqual({
      kind: "export",
      format: "dot",
      policy: "hardened",
      scenarioId: "hardened-keys",
      attempts: 3,
      outFile: "x.dot",
    });
  });

  it.each([["--version"], ["-V"]])("are %s, which says the version", (option) => {
    expect(parse(option)).toEqual({ kind: "shown", text: "1.2.3\n" });
  });

  it.each([
    ["--help"],
    ["verify", "--help"],
    ["check", "--help"],
    ["rerun", "-h"],
    ["export", "--help"],
  ])("are %s %s, which says the exit statuses", (...args) => {
    const read = parse(...args);
    expect(read).toMatchObject({ kind: "shown" });
    expect("text" in read ? read.text : "").toMatch(/Exit status:\n {2}0 .*\n {2}1 .*\n {2}2 /u);
  });
});

const worst: readonly (readonly [args: string, says: string])[] = [
  ["", "no command was given"],
  ["frobnicate", "command=frobnicate"],
  ["help", "command=help"],
  ["verify extra", "too many arguments"],
  ["verify --exhaustive much", "--exhaustive=much"],
  ["verify --max-states -5", "--max-states=-5"],
  ["verify --max-states 1e99", "--max-states=1e99"],
  ["verify --max-states NaN", "--max-states=NaN"],
  ["verify --max-memory 1", "--max-memory=1"],
  ["verify --max-memory 65536", "does not fit this machine"],
  ["verify --polcy paper", "unknown option '--polcy'"],
  ["--seed 5", "unknown option '--seed'"],
  ["verify --policy", "argument missing"],
  ["verify --policy Paper", "--policy=Paper; take one of paper, published, hardened, all"],
  ["verify --policy=", '--policy=""'],
  ["verify --claim nope", "--claim=nope; take one of at-most-once-acceptance, execution"],
  ["verify --claim __proto__", "--claim=__proto__"],
  ["verify --claim ownership", "--claim=ownership"],
  ["verify --runs 0", "--runs=0"],
  ["verify --runs -1", "--runs=-1"],
  ["verify --runs 1.5", "--runs=1.5"],
  ["verify --runs 1e3", "--runs=1e3"],
  ["verify --runs 0x10", "--runs=0x10"],
  ["verify --runs NaN", "--runs=NaN"],
  ["verify --runs Infinity", "--runs=Infinity"],
  ["verify --runs 1000001", "--runs=1000001"],
  ["verify --runs 99999999999999999999", "--runs=9999"],
  ["verify --runs=", '--runs=""'],
  ["verify --runs --seed", "--runs=--seed"],
  ["verify --seed abc", "--seed=abc"],
  ["verify --seed 2147483648", "--seed=2147483648"],
  ["verify --seed -2147483649", "--seed=-2147483649"],
  ["verify --seed 1.5", "--seed=1.5"],
  ["verify --seed", "argument missing"],
  ["verify --budget 0", "--budget=0"],
  ["verify --budget -5", "--budget=-5"],
  ["verify --budget 1m", "--budget=1m"],
  ["verify --budget Infinity", "--budget=Infinity"],
  ["verify --budget 86401", "--budget=86401"],
  ["verify --out=", '--out=""'],
  ["verify --json=", '--json=""'],
  ["verify --junit=", '--junit=""'],
  ["check", "required option '--target <FILE>' not specified"],
  ["check --target=", '--target=""'],
  ["check x.ts", "required option"],
  ["check --target x.ts --policy paper", "--policy=paper; leave --policy out"],
  ["check --target x.ts --claim execution", "--claim=execution; take one of ownership"],
  ["rerun", "missing required argument 'FILE'"],
  ["rerun a.json b.json", "too many arguments"],
  ["rerun --nope", "unknown option '--nope'"],
  ["export", "required option '--format <NAME>' not specified"],
  ["export --format promela", "required option '--policy <NAME>' not specified"],
  ["export --format tla --policy paper", "--format=tla; take one of promela, murphi, dot"],
  ["export --format= --policy paper", '--format=""'],
  ["export --format dot --policy all", "--policy=all; take one of paper, published, hardened"],
  ["export --format dot --policy __proto__", "--policy=__proto__"],
  ["export --format dot --policy paper --attempts 0", "--attempts=0"],
  ["export --format dot --policy paper --attempts -1", "--attempts=-1"],
  ["export --format dot --policy paper --attempts NaN", "--attempts=NaN"],
  ["export --format dot --policy paper --attempts 1.5", "--attempts=1.5"],
  ["export --format dot --policy paper --attempts 9", "--attempts=9"],
  ["export --format dot --policy paper --attempts 99999999999999999999", "--attempts=9999"],
  ["export --format dot --policy paper --attempts=", '--attempts=""'],
  ["export --format dot --policy paper --out=", '--out=""'],
  ["export --format dot --policy paper extra", "too many arguments"],
];

describe("arguments that cannot be used", () => {
  it.each(worst)("are refused in one line: latchkey %s", (line, says) => {
    const read = parse(...line.split(" ").filter((word) => word !== ""));
    expect(read).toMatchObject({ kind: "refused" });
    const message = "message" in read ? read.message : "";
    expect(message).toContain(says);
    expect(message).not.toMatch(/[\n\r]/u);
    expect(message).toMatch(/; |, or see /u);
  });

  it("are refused in one line even where they hold line breaks and control characters", () => {
    const read = parse("verify", "--policy", "a\nb\r\u001B[2J\uD800");
    const message = "message" in read ? read.message : "";
    expect(message).toMatch(/^[\x20-\x7E]+$/u);
  });
});
