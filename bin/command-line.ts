// Decides what was asked for: arguments in, one command or one refusal out.
import { Command, CommanderError } from "commander";
import { totalmem } from "node:os";
import { addExport, type ExportInvocation } from "./export-command.ts";
import {
  type ExhaustiveLevel,
  type KnownPolicy,
  parseBudget,
  parseExhaustive,
  parseMaxMemory,
  parseMaxStates,
  parseClaims,
  parsePolicy,
  parseRuns,
  parseSeed,
  policyNames,
  shown,
} from "./option-values.ts";
import { refuse, type Refusal } from "./refusal.ts";

export type Invocation =
  VerifyInvocation | CheckInvocation | RerunInvocation | ExportInvocation | ShownText | Refusal;

export interface VerifyInvocation extends JudgingOptions {
  readonly kind: "verify";
  readonly exhaustive: ExhaustiveLevel;
  /** For each search; null: the engine's own bound. */
  readonly maxStates: number | null;
  /** For each search; null: the engine's own bound. */
  readonly maxMemoryMebibytes: number | null;
}

export interface CheckInvocation extends JudgingOptions {
  readonly kind: "check";
  readonly targetFile: string;
}

export interface RerunInvocation {
  readonly kind: "rerun";
  readonly file: string;
  /** Where the target is that the counterexample names, if it is not where it was. */
  readonly targetFile: string | null;
}

export interface ShownText {
  readonly kind: "shown";
  readonly text: string;
}

export interface JudgingOptions {
  readonly policies: readonly KnownPolicy[];
  /** Null: all of them. */
  readonly claimIds: readonly string[] | null;
  /** Histories a campaign; null: as many as the default budget allows. */
  readonly runs: number | null;
  /** Null: a fresh one, which is printed. */
  readonly seed: number | null;
  readonly budgetMs: number | null;
  readonly outDir: string;
  readonly jsonFile: string | null;
  readonly junitFile: string | null;
}

export interface Known {
  readonly version: string;
  /** What `verify --claim` takes. */
  readonly claimIds: readonly string[];
  /** What `check --claim` takes: claims about a store, and invariants of the contract. */
  readonly contractIds: readonly string[];
}

/** Reads the arguments (without node and script); never exits, never prints. */
export function parseCommandLine(args: readonly string[], known: Known): Invocation {
  let found: Invocation | null = null;
  let text = "";
  const program = createProgram(known, (invocation) => {
    found = invocation;
  });
  const capture = {
    writeOut: (part: string) => {
      text += part;
    },
    writeErr: () => {},
  };
  for (const command of [program, ...program.commands]) {
    command.exitOverride().configureOutput(capture);
  }
  if (args.length === 0) {
    return refuse(
      "no command was given; say verify, check, rerun or export, or see latchkey --help",
    );
  }
  try {
    program.parse(args, { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? { kind: "shown", text } : refuse(usage(error, args));
  }
  return found ?? { kind: "shown", text: text === "" ? program.helpInformation() : text };
}

interface RawOptions {
  readonly policy: string;
  readonly claim?: readonly string[];
  readonly runs?: string;
  readonly seed?: string;
  readonly budget?: string;
  readonly out: string;
  readonly json?: string;
  readonly junit?: string;
  readonly target?: string;
  readonly exhaustive?: string;
  readonly maxStates?: string;
  readonly maxMemory?: string;
}

function createProgram(known: Known, found: (invocation: Invocation) => void): Command {
  const program = new Command("latchkey")
    .description(
      "Proves that an idempotency layer lets each request through at most once, or shows the shortest history in which it does not.",
    )
    .version(known.version, "-V, --version", "say the version")
    .helpCommand(false)
    .addHelpText("after", `\n${exitStatuses}`);

  judging(
    program.command("verify").description("judge the claims under the policies"),
    known.claimIds,
  )
    .option(
      "--exhaustive <LEVEL>",
      "how far the model is searched: quick, deep (half an hour) or off",
      "quick",
    )
    .option("--max-states <N>", "bound of states for each search")
    .option("--max-memory <MIB>", "bound of memory for each search, in MiB")
    .addHelpText("after", `\n${exitStatuses}`)
    .action((options: RawOptions) => found(verifyInvocation(options, known)));

  judging(
    program.command("check").description("judge a store of your own by its adapter"),
    known.contractIds,
  )
    .requiredOption("--target <FILE>", "module whose default export is a StoreTarget")
    .addHelpText("after", `\n${exitStatuses}`)
    .action((options: RawOptions) => found(checkInvocation(options, known)));

  program
    .command("rerun")
    .description("run a saved counterexample again on what it names")
    .argument("<FILE>", "counterexample that verify or check wrote (.json)")
    .option("--target <FILE>", "where the target's module is now, if it has moved")
    .addHelpText("after", `\n${exitStatuses}`)
    .action((file: string, { target }: { readonly target?: string }) => {
      found(
        file === ""
          ? refuse('the file has no name: FILE=""; name a counterexample (.json)')
          : { kind: "rerun", file, targetFile: target ?? null },
      );
    });

  addExport(program, found).addHelpText("after", `\n${exitStatuses}`);
  return program;
}

function judging(command: Command, ids: readonly string[]): Command {
  return command
    .option("--policy <NAME>", `${policyNames.join(", ")} or all`, "all")
    .option(
      "--claim <ID>",
      `one claim only; may be repeated (an unknown one lists all ${ids.length})`,
      append,
    )
    .option("--runs <N>", "histories for each campaign, at most 1000000")
    .option("--seed <S>", "a 32-bit whole number that makes the run repeatable")
    .option("--budget <SECONDS>", "end after so many seconds; what is undecided is inconclusive")
    .option("--out <DIR>", "folder for the report and the counterexamples", "reports/out")
    .option("--json <FILE>", "write the results as JSON (latchkey.results/1)")
    .option("--junit <FILE>", "write the results as JUnit XML");
}

function append(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

function verifyInvocation(options: RawOptions, known: Known): VerifyInvocation | Refusal {
  const read = judgingOptions(options, known.claimIds);
  if ("kind" in read) return read;
  const exhaustive = parseExhaustive(options.exhaustive ?? "quick");
  if (isRefusal(exhaustive)) return exhaustive;
  const maxStates = options.maxStates === undefined ? null : parseMaxStates(options.maxStates);
  if (isRefusal(maxStates)) return maxStates;
  const machineMebibytes = Math.floor(totalmem() / 2 ** 20);
  const maxMemoryMebibytes =
    options.maxMemory === undefined ? null : parseMaxMemory(options.maxMemory, machineMebibytes);
  if (isRefusal(maxMemoryMebibytes)) return maxMemoryMebibytes;
  return { kind: "verify", ...read, exhaustive, maxStates, maxMemoryMebibytes };
}

function checkInvocation(options: RawOptions, known: Known): CheckInvocation | Refusal {
  const { target = "", policy } = options;
  if (target === "") return refuse('the target has no name: --target=""; name a module');
  const read = judgingOptions(options, known.contractIds);
  if ("kind" in read) return read;
  if (policy !== "all" && policy !== "hardened") {
    return refuse(
      `check judges the contract of StoreTarget, which is that of hardened: --policy=${policy}; leave --policy out`,
    );
  }
  return { kind: "check", targetFile: target, ...read };
}

function judgingOptions(
  options: RawOptions,
  knownIds: readonly string[],
): JudgingOptions | Refusal {
  const policies = parsePolicy(options.policy);
  if (isRefusal(policies)) return policies;
  const claimIds = options.claim === undefined ? null : parseClaims(options.claim, knownIds);
  if (isRefusal(claimIds)) return claimIds;
  const runs = options.runs === undefined ? null : parseRuns(options.runs);
  if (isRefusal(runs)) return runs;
  const seed = options.seed === undefined ? null : parseSeed(options.seed);
  if (isRefusal(seed)) return seed;
  const budgetMs = options.budget === undefined ? null : parseBudget(options.budget);
  if (isRefusal(budgetMs)) return budgetMs;
  const { out, json = null, junit = null } = options;
  for (const [name, path] of Object.entries({ out, json, junit })) {
    if (path === "") return refuse(`the path is empty: --${name}=""; name a path`);
  }
  return {
    policies,
    claimIds,
    runs,
    seed,
    budgetMs,
    outDir: out,
    jsonFile: json,
    junitFile: junit,
  };
}

function isRefusal(value: unknown): value is Refusal {
  return typeof value === "object" && value !== null && "kind" in value && value.kind === "refused";
}

/** Commander's complaint in our form: what happened, `field=value`, what to do next. */
function usage(error: CommanderError, args: readonly string[]): string {
  const command = ["verify", "check", "rerun", "export"].find((name) => name === args[0]);
  const help = command === undefined ? "latchkey --help" : `latchkey ${command} --help`;
  const said = error.message.replace(/^error: /u, "").replace(/\.$/u, "");
  if (error.code === "commander.unknownCommand") {
    return `no such command: command=${shown(args[0] ?? "")}; say verify, check, rerun or export, or see ${help}`;
  }
  return `${said}; see ${help}`;
}

const exitStatuses = `Exit status:
  0    every verdict is the expected one; check: no violation; rerun: it reproduces; export: written
  1    some verdict differs; check: a violation; rerun: it no longer reproduces
  2    the arguments or the environment cannot be used: one line says why
  130  cancelled by SIGINT (143 by SIGTERM): what was judged so far is reported
`;
