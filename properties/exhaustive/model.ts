// What a system must say about itself to be searched exhaustively: packed states, their successors, and the predicates to judge.

/** How a property's predicate is read; the predicate itself is a bit of {@link PackedModel.marks}. */
export type PropertyKind =
  /** The bit means "this state breaks the invariant". Refuted by the shallowest state that carries it. */
  | "always"
  /** The bit means "the situation occurs here". Holds once a state carries it; never reached is *inconclusive*. */
  | "sometimes"
  /** The bit means "this is a goal". Holds if from every reachable state some path leads to a goal (no fairness needed). */
  | "reachable"
  /** The bit means "this is a goal". Holds if every path from an initial state meets a goal (no fairness assumed: a loop that could be left for ever counts against it). */
  | "eventually";

export interface PropertyDeclaration {
  /** Name in results, unique within the model. */
  readonly id: string;
  readonly kind: PropertyKind;
  /** The claim, as a sentence. */
  readonly statement: string;
  /** The id of a `sometimes` of the same model without which this property is vacuous: never reached makes *holds* into *inconclusive*. */
  readonly exercisedBy?: string;
}

/** One step of a witness, for humans. */
export interface ActionDescription {
  readonly actor: string;
  readonly action: string;
  readonly detail: string;
}

/** A state, for humans: field name to value, in the order to print. */
export type StateDescription = Readonly<Record<string, string | number | boolean>>;

/**
 * PackedModel is a finite transition system whose states are `words` unsigned 32-bit words.
 *
 * A state is never an object: it is `words` consecutive elements of an array, beginning at `at`.
 * `expand`, `canonicalise`, `marks` and `isEnd` run for every state or edge: they must be pure,
 * must allocate nothing, and must read and write only the elements they are given.
 * Equal words are equal states; unused bits must be zero.
 */
export interface PackedModel {
  readonly name: string;
  /** 32-bit words per state, 1 to 8. */
  readonly words: number;
  /** The most successors that any one state can have, 1 to 4096. */
  readonly maxSuccessors: number;
  /** At most 32. The place in this list is the bit in {@link marks}. */
  readonly properties: readonly PropertyDeclaration[];

  /** The initial states, one after another: `count * words` elements. Repeats are allowed. */
  initial(): Uint32Array;

  /**
   * Writes the successors of the state at `states[at]`: the i-th into `out[outAt + i * words …]`, the action
   * that leads there into `actions[i]` (any uint32 that {@link describeAction} understands). Returns how many.
   *
   * Each one written is one edge, also when two lead to one state or back to the same. `states` and `out`
   * are different arrays. The order must depend on the state alone: witnesses are rebuilt by expanding again.
   */
  expand(
    states: Uint32Array,
    at: number,
    out: Uint32Array,
    outAt: number,
    actions: Uint32Array,
  ): number;

  /**
   * Bit i tells the predicate of `properties[i]` in this state (see {@link PropertyKind}).
   * With symmetry on it is asked about representatives only, so it must not tell symmetric states apart.
   */
  marks(states: Uint32Array, at: number): number;

  /** Replaces the state in place by the representative of its symmetry class. Absent: the model has no symmetry. */
  canonicalise?(states: Uint32Array, at: number): void;

  /** Whether a state without successors is a proper end. Asked of such states only; a "no" is a deadlock. Absent: every one is a deadlock. */
  isEnd?(states: Uint32Array, at: number): boolean;

  /** Tells a step of a witness; `before` and `after` hold exactly one state each. */
  describeAction(action: number, before: Uint32Array, after: Uint32Array): ActionDescription;

  describeState(state: Uint32Array): StateDescription;
}

/** Where a worker thread finds the model: `module` exports `createModel(options)`. */
export interface ModelReference {
  /** An absolute file URL, as `import.meta.url` gives it. */
  readonly module: string;
  /** Must survive `structuredClone`. */
  readonly options: unknown;
}

/** What a module named by a {@link ModelReference} exports. */
export interface ModelModule {
  createModel(options: unknown): PackedModel;
}
