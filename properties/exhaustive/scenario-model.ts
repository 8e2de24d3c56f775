// Decides how a thread of a parallel search makes the model of a scenario.
import { compileSystem } from "./compile-system.ts";
import type { LatchkeyOptions } from "./latchkey-options.ts";
import { latchkeySystem } from "./latchkey-system.ts";
import type { ModelReference, PackedModel } from "./model.ts";

interface ScenarioModelOptions {
  readonly options: LatchkeyOptions;
  readonly symmetry: boolean;
}

export function createModel(given: unknown): PackedModel {
  const { options, symmetry } = given as ScenarioModelOptions;
  return compileSystem(latchkeySystem(options), { symmetry });
}

export function scenarioReference(given: ScenarioModelOptions): ModelReference {
  return { module: import.meta.url, options: given };
}
