// Decides how other checkers are told the very mutex of `mutex-model.ts`: the same options, one step each, as Promela and Murphi.
import type { MutexOptions } from "./mutex-model.ts";

/** One process whose loop head is its only resting place: each option is one d_step, so states and steps are ours. */
export function mutexPromela({ attempts, clock, pending, retention }: MutexOptions): string {
  const options = Array.from({ length: attempts }, (_, i) => {
    const stage = `stage[${i}]`;
    const free = "(kind == 0 || clock >= end)";
    const own = `(kind == 1 && holder == ${i})`;
    return [
      `${stage} == 0 && ${free} -> kind = 1; holder = ${i}; end = clock + ${pending}; ${stage} = 1`,
      `${stage} == 0 && !${free} -> ${stage} = 5`,
      `${stage} == 1 -> executions = (executions < 3 -> executions + 1 : 3); ${stage} = 2`,
      `${stage} == 1 -> ${stage} = 3`,
      `${stage} == 1 -> ${stage} = 4`,
      `${stage} == 2 && (${own} || ${free}) -> kind = 2; holder = ${i}; end = clock + ${retention}; ${stage} = 6`,
      `${stage} == 2 && !(${own} || ${free}) -> ${stage} = 6`,
      `${stage} == 3 && ${own} -> kind = 0; holder = 0; end = 0; ${stage} = 7`,
      `${stage} == 3 && !${own} -> ${stage} = 7`,
      `${stage} >= 4 -> ${stage} = 0`,
    ];
  }).flat();
  return `byte clock, kind, holder, end, executions;
byte stage[${attempts}];

active proctype mutex() {
  do
${[...options, `clock < ${clock} -> clock++`].map((option) => `  :: d_step { ${option} }`).join("\n")}
  od
}
`;
}

export function mutexMurphi({ attempts, clock, pending, retention }: MutexOptions): string {
  const last = clock + Math.max(pending, retention);
  return `type
  attempt: 0..${attempts - 1};
var
  clock: 0..${clock};
  kind: 0..2;
  holder: attempt;
  finish: 0..${last};
  executions: 0..3;
  stage: array [attempt] of 0..7;

startstate begin
  clock := 0; kind := 0; holder := 0; finish := 0; executions := 0;
  for i: attempt do stage[i] := 0; end;
end;

ruleset i: attempt do
  rule "reserve" stage[i] = 0 & (kind = 0 | clock >= finish) ==> begin
    kind := 1; holder := i; finish := clock + ${pending}; stage[i] := 1; end;
  rule "refused" stage[i] = 0 & !(kind = 0 | clock >= finish) ==> begin stage[i] := 5; end;
  rule "execute" stage[i] = 1 ==> begin
    if executions < 3 then executions := executions + 1; end; stage[i] := 2; end;
  rule "fail" stage[i] = 1 ==> begin stage[i] := 3; end;
  rule "lose" stage[i] = 1 ==> begin stage[i] := 4; end;
  rule "commit" stage[i] = 2 & ((kind = 1 & holder = i) | kind = 0 | clock >= finish) ==> begin
    kind := 2; holder := i; finish := clock + ${retention}; stage[i] := 6; end;
  rule "stale commit" stage[i] = 2 & !((kind = 1 & holder = i) | kind = 0 | clock >= finish) ==> begin
    stage[i] := 6; end;
  rule "release" stage[i] = 3 & kind = 1 & holder = i ==> begin
    kind := 0; holder := 0; finish := 0; stage[i] := 7; end;
  rule "stale release" stage[i] = 3 & !(kind = 1 & holder = i) ==> begin stage[i] := 7; end;
  rule "try again" stage[i] >= 4 ==> begin stage[i] := 0; end;
end;

rule "tick" clock < ${clock} ==> begin clock := clock + 1; end;

invariant "counted" executions <= 3;
`;
}
