// Decides what a command comes to: arguments in, output and exit status out.
import { readFileSync } from "node:fs";
import { claims } from "../model/claims.ts";
import { storeInvariants } from "../model/invariants.ts";
import { parseCommandLine } from "./command-line.ts";
import { refused } from "./judging.ts";
import { describeError, refuse } from "./refusal.ts";
import { tell, type Terminal } from "./terminal.ts";

/** Runs the arguments (without node and script); gives the exit status and never rejects. */
export async function main(args: readonly string[], terminal: Terminal): Promise<number> {
  try {
    return await run(args, terminal);
  } catch (error) {
    if (terminal.env["LATCHKEY_DEBUG"] !== undefined && error instanceof Error) {
      tell(terminal, error.stack ?? error.message);
    }
    return refused(
      terminal,
      refuse(
        `this should not have happened: error=${describeError(error)}; set LATCHKEY_DEBUG=1 to see where, and report it`,
      ),
    );
  }
}

async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  const invocation = parseCommandLine(args, {
    version: packageVersion(),
    claimIds: claims.map(({ id }) => id),
    contractIds: contractIds(),
  });
  // A command loads what it needs and no more: the runtime alone takes a second to load.
  switch (invocation.kind) {
    case "refused":
      return refused(terminal, invocation);
    case "shown":
      terminal.stdout.write(invocation.text);
      return 0;
    case "verify":
      return (await import("./verify.ts")).verify(invocation, terminal);
    case "check":
      return (await import("./check.ts")).check(invocation, terminal);
    case "rerun":
      return (await import("./rerun.ts")).rerun(invocation, terminal);
    case "export":
      return (await import("./export.ts")).exportSystem(invocation, terminal);
  }
}

/** `fail-closed` binds the attempt, which is the suite's own in `check`. */
function contractIds(): readonly string[] {
  const invariants = Object.keys(storeInvariants).filter((name) => name !== "fail-closed");
  const ofStores = claims.filter(
    (claim) =>
      claim.level === "store" && claim.invariants.some((name) => invariants.includes(name)),
  );
  return [...new Set([...invariants, ...ofStores.map(({ id }) => id)])];
}

function packageVersion(): string {
  const text = readFileSync(new URL("../package.json", import.meta.url), "utf8");
  const { version } = JSON.parse(text) as { readonly version: string };
  return version;
}
