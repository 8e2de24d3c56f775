// Decides the verdict on each property from what the search and the sweeps saw; what was not seen in full is inconclusive.
import type { SearchSettings } from "./check-options.ts";
import type { CheckResult, PropertyResult, StopCause, Verdict, Witness } from "./check-result.ts";
import type { PackedModel, PropertyDeclaration } from "./model.ts";
import { depthOf } from "./state-graph.ts";
import type { StateGraph } from "./state-graph.ts";
import type { Sweep } from "./sweep.ts";
import { WitnessFinder } from "./witness.ts";

interface Judgement {
  readonly verdict: Verdict;
  readonly because: string;
  readonly stoppedBy: StopCause | null;
  readonly witness: Witness | null;
}

export function judge(
  model: PackedModel,
  settings: SearchSettings,
  graph: StateGraph,
  sweeps: ReadonlyMap<number, Sweep>,
): Pick<CheckResult, "properties" | "deadlock"> {
  const finder = new WitnessFinder(model, graph, settings.symmetry);
  const results = model.properties.map((property, bit) => ({
    id: property.id,
    kind: property.kind,
    statement: property.statement,
    ...exercised(model, graph, property, judgeOne(graph, finder, property, bit, sweeps.get(bit))),
  }));
  return {
    properties: results satisfies PropertyResult[],
    deadlock: judgeDeadlock(settings, graph, finder),
  };
}

function judgeOne(
  graph: StateGraph,
  finder: WitnessFinder,
  property: PropertyDeclaration,
  bit: number,
  sweep: Sweep | undefined,
): Judgement {
  const first = graph.tally.firstMarked[bit] as number;
  switch (property.kind) {
    case "always":
      if (first >= 0) {
        return refuted(`broken at depth ${depthOf(graph, first)}`, finder.pathTo(first));
      }
      return graph.stoppedBy === null ? holds(`no reachable state breaks it`) : unfinished(graph);
    case "sometimes":
      if (first >= 0) {
        return {
          verdict: "holds",
          because: `reached at depth ${depthOf(graph, first)}`,
          stoppedBy: null,
          witness: finder.pathTo(first),
        };
      }
      return graph.stoppedBy === null
        ? inconclusive("no reachable state shows the situation")
        : unfinished(graph);
    case "reachable": {
      if (sweep === undefined || sweep.stoppedBy !== null) return unfinished(graph, sweep);
      const stuck = sweep.shallowestWithout(bit);
      if (stuck < 0) return holds("every reachable state has a path to a goal");
      return refuted(
        `no goal can be reached from a state at depth ${depthOf(graph, stuck)}`,
        finder.pathTo(stuck),
      );
    }
    case "eventually": {
      if (sweep === undefined || sweep.stoppedBy !== null) return unfinished(graph, sweep);
      const witness = finder.avoiding(bit, sweep);
      if (witness.states.length === 0) return holds("every execution meets a goal");
      return refuted(
        witness.loopsTo === null
          ? "an execution ends before a goal"
          : "an execution loops without a goal",
        witness,
      );
    }
  }
}

/** A property whose situation never occurred was not tested: what holds only for that reason is inconclusive. */
function exercised(
  model: PackedModel,
  graph: StateGraph,
  property: PropertyDeclaration,
  judgement: Judgement,
): Judgement {
  const { exercisedBy } = property;
  if (judgement.verdict !== "holds" || exercisedBy === undefined) return judgement;
  const bit = model.properties.findIndex(({ id }) => id === exercisedBy);
  if ((graph.tally.firstMarked[bit] as number) >= 0) return judgement;
  return inconclusive(`vacuous: ${exercisedBy} was never reached`);
}

function judgeDeadlock(
  settings: SearchSettings,
  graph: StateGraph,
  finder: WitnessFinder,
): Judgement {
  if (!settings.judgeDeadlock) return inconclusive("not judged");
  const { firstDeadlock } = graph.tally;
  if (firstDeadlock >= 0) {
    return refuted(
      `no successor and no proper end at depth ${depthOf(graph, firstDeadlock)}`,
      finder.pathTo(firstDeadlock),
    );
  }
  return graph.stoppedBy === null
    ? holds("every state without successors is a proper end")
    : unfinished(graph);
}

function unfinished(graph: StateGraph, sweep?: Sweep): Judgement {
  const stoppedBy = graph.stoppedBy ?? sweep?.stoppedBy ?? null;
  return {
    verdict: "inconclusive",
    because: `stopped by ${stoppedBy ?? "nothing"}: states=${graph.states} edges=${graph.tally.edges} depth=${graph.depth} queueLength=${graph.queueLength}`,
    stoppedBy,
    witness: null,
  };
}

function holds(because: string): Judgement {
  return { verdict: "holds", because, stoppedBy: null, witness: null };
}

function refuted(because: string, witness: Witness): Judgement {
  return { verdict: "refuted", because, stoppedBy: null, witness };
}

function inconclusive(because: string): Judgement {
  return { verdict: "inconclusive", because, stoppedBy: null, witness: null };
}
