// Keeps the operations that never completed, and tells which of them nobody can tell apart.
import type { Operation } from "./operations.ts";

/** Operations that may take effect at any later moment. */
export interface OpenPool {
  isEmpty(): boolean;
  add(operation: Operation): void;
  remove(operation: Operation): void;
  /** An operation that is not of the pool has completed; its token may be heard of no more. */
  completed(operation: Operation): void;
  ofToken(token: string): readonly Operation[];
  /** The first of each class that can be taken, if it may matter. */
  representatives(
    canBeTaken: (candidate: Operation) => boolean,
    mayMatter: (candidate: Operation) => boolean,
  ): readonly Operation[];
}

/**
 * Operations of two tokens are interchangeable if each is the only one of its token that is left
 * (nothing of the token completes later, or is open too), and they carry the same payload and
 * response; a response that no answer ever replays counts as any other. Of the interchangeable the
 * one invoked first comes first: it may take effect wherever a later one may.
 */
export function createOpenPool(operations: readonly Operation[]): OpenPool {
  const left = countByToken(operations);
  const replayed = replayedResponses(operations);
  const byToken = new Map<string, Operation[]>();
  const classes = new Map<string, Operation[]>();
  const classOf = new Map<Operation, string>();

  const enter = (operation: Operation): void => {
    const name = className(operation, left.get(operation.token) ?? 0, replayed);
    classOf.set(operation, name);
    insert(classes, name, operation);
  };
  const leave = (operation: Operation): void => {
    const name = classOf.get(operation);
    if (name === undefined) return;
    classOf.delete(operation);
    take(classes, name, operation);
  };
  const isOneLess = (token: string): void => {
    left.set(token, (left.get(token) ?? 0) - 1);
    if (left.get(token) !== 1) return;
    for (const operation of byToken.get(token) ?? []) {
      leave(operation);
      enter(operation);
    }
  };

  return {
    isEmpty: () => byToken.size === 0,
    add(operation) {
      insert(byToken, operation.token, operation);
      enter(operation);
    },
    remove(operation) {
      leave(operation);
      take(byToken, operation.token, operation);
      isOneLess(operation.token);
    },
    completed: ({ token }) => isOneLess(token),
    ofToken: (token) => byToken.get(token) ?? [],
    representatives(canBeTaken, mayMatter) {
      const chosen: Operation[] = [];
      for (const members of classes.values()) {
        // All of a class matter alike.
        const [sample] = members;
        if (sample === undefined || !mayMatter(sample)) continue;
        const first = members.find(canBeTaken);
        if (first !== undefined) chosen.push(first);
      }
      return chosen;
    },
  };
}

function className(
  { call, token, fingerprint, response }: Operation,
  leftOfToken: number,
  replayed: ReadonlySet<string>,
): string {
  if (leftOfToken > 1) return JSON.stringify([call, fingerprint, response, token]);
  return JSON.stringify([call, fingerprint, replayed.has(response) ? response : null]);
}

function countByToken(operations: readonly Operation[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { token } of operations) counts.set(token, (counts.get(token) ?? 0) + 1);
  return counts;
}

function replayedResponses(operations: readonly Operation[]): ReadonlySet<string> {
  const responses = new Set<string>();
  for (const { answer } of operations)
    if (answer.outcome === "duplicate" && answer.response !== undefined)
      responses.add(answer.response);
  return responses;
}

/** In the order of invocation. */
function insert(lists: Map<string, Operation[]>, name: string, operation: Operation): void {
  const list = lists.get(name);
  if (list === undefined) {
    lists.set(name, [operation]);
    return;
  }
  let place = list.length;
  while (place > 0 && (list[place - 1]?.invokedIndex ?? -1) > operation.invokedIndex) place -= 1;
  list.splice(place, 0, operation);
}

function take(lists: Map<string, Operation[]>, name: string, operation: Operation): void {
  const list = lists.get(name);
  const place = list?.indexOf(operation) ?? -1;
  if (list === undefined || place < 0) return;
  list.splice(place, 1);
  if (list.length === 0) lists.delete(name);
}
