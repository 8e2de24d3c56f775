// Decides which figures `npm run bench` measures: all of them, or those that are named.
export const benches: Readonly<Record<string, (print: (line: string) => void) => Promise<void>>> = {
  histories: async (print) => {
    await (await import("./bench-histories.ts")).benchHistories(print);
  },
  linearizability: async (print) => {
    (await import("./bench-linearizability.ts")).benchLinearizability(print);
  },
  checkers: async (print) => {
    await (await import("./bench-checkers.ts")).benchInLargePages(print);
  },
  gateway: async (print) => (await import("./bench-gateway.ts")).printGatewayBench(print),
};

const named = process.argv.slice(2);
const unknown = named.find((name) => benches[name] === undefined);
if (unknown !== undefined) {
  const known = Object.keys(benches).join(", ");
  process.stderr.write(`no such bench: name=${unknown}; take one of ${known}, or none for all\n`);
  process.exit(2);
}
for (const [name, run] of Object.entries(benches)) {
  if (named.length > 0 && !named.includes(name)) continue;
  process.stdout.write(`\n${name}\n`);
  await run((line) => process.stdout.write(`${line}\n`));
}
