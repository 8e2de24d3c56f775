// Decides where output goes and how wide and colourful it may be: results on stdout, the rest on stderr.
import type { TableOptions } from "../reports/claims-table.ts";

export interface Terminal {
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
}

const defaultColumns = 100;

/** `NO_COLOR` wins over `FORCE_COLOR`, which wins over whether it is a terminal. */
export function tableOptions({ stdout, env }: Terminal): TableOptions {
  const columns = stdout.columns > 0 ? stdout.columns : Number(env["COLUMNS"]);
  return {
    columns: Number.isInteger(columns) && columns > 0 ? columns : defaultColumns,
    color: isSet(env["NO_COLOR"]) ? false : isSet(env["FORCE_COLOR"]) || stdout.isTTY,
  };
}

/** Says one line on stderr. */
export function tell({ stderr }: Terminal, line: string): void {
  stderr.write(`${line}\n`);
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== "" && value !== "0";
}
