// What the operator's log is told, and what an error leaves there: never its message, which may repeat a secret.

/** Names variables, places and errors; never a value that a client or an operator gave. */
export function tellOperator(text: string): void {
  // oxlint-disable-next-line no-console -- a Worker's log is its console
  console.error(text);
}

/** The name of an error and where it was thrown, for example `TypeError at readReserve (gateway.mjs:812:11)`; whatever is no error, by its type. */
export function traceOf(error: unknown): string {
  if (!(error instanceof Error)) return `a thrown value of type ${typeof error}`;
  const name = /^\w{1,64}$/.test(error.name) ? error.name : "an error";
  const header = `${error.name}: ${error.message}`;
  const { stack = "" } = error;
  // A message may have lines that look like places: only what stands after it is one.
  const places = stack.startsWith(header) ? stack.slice(header.length) : "";
  const place = /^\s+(at [^\n]{1,300})/.exec(places)?.[1];
  return place === undefined ? name : `${name} ${place}`;
}
