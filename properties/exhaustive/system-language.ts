// How a finite system is written down: plain data for variables, guarded rules and properties, from which everything else is generated.

/** The whole of a system: the compiler, the interpreter and the exporters read nothing else. */
export interface System {
  readonly name: string;
  readonly indexSets: readonly IndexSet[];
  readonly tables: readonly TableDeclaration[];
  readonly variables: readonly VariableDeclaration[];
  readonly rules: readonly Rule[];
  readonly properties: readonly Property[];
  /** One element an initial state: what differs there from the variables' own `initial`. Never empty. */
  readonly initialStates: readonly InitialValues[];
  /** Where a state without successors is a proper end; null: nowhere, every one is a deadlock. */
  readonly end: Expression | null;
}

export type InitialValues = Readonly<Record<string, number | readonly number[]>>;

/**
 * IndexSet is what arrays are indexed by and rules are about: 0..size-1.
 * `symmetric` makes it a scalarset: permuting its members gives an equivalent state, so members may only be
 * compared for equality, used as an index, and stored in variables of the domain `member`. At most one set is symmetric.
 */
export interface IndexSet {
  readonly name: string;
  readonly size: number;
  readonly symmetric: boolean;
}

/** Values are integers in a state: false 0, true 1; a named value its place; a member its index, nobody `size`. */
export type Domain =
  | { readonly kind: "flag" }
  | { readonly kind: "range"; readonly max: number }
  | { readonly kind: "named"; readonly name: string; readonly values: readonly string[] }
  | {
      readonly kind: "member";
      readonly set: string;
      readonly size: number;
      /** What "no member" is called, or null when there always is one. */
      readonly none: string | null;
    };

export interface VariableDeclaration {
  readonly name: string;
  readonly domain: Domain;
  /** The index set of an array; null for a single value. */
  readonly over: string | null;
  readonly initial: number | readonly number[];
}

/** A constant array of one or more dimensions, row by row. */
export interface TableDeclaration {
  readonly name: string;
  readonly dimensions: readonly number[];
  readonly values: readonly number[];
  readonly result: Domain;
}

/** A rule parameter, a local or a quantified name. */
export interface LocalDeclaration {
  readonly name: string;
  readonly domain: Domain;
}

/** One kind of step: for all parameter values for which `guard` holds, `body` is done in one go. */
export interface Rule {
  readonly name: string;
  readonly parameters: readonly LocalDeclaration[];
  readonly guard: Expression;
  readonly body: readonly Statement[];
  readonly tells: Telling;
}

/**
 * What a step is called in a witness. `{a}` is a parameter's value, `{clock}` and `{phase[a]}` a variable's value
 * before the step, `{clock'}` and `{phase[a]'}` after it. Named values print their names, members the letters A, B, C …
 */
export interface Telling {
  readonly actor: string;
  readonly action: string;
  readonly detail: string;
}

export interface Property {
  readonly id: string;
  /** As in the engine's model: `always` must hold in every state, `sometimes` in one, `reachable` from every state. */
  readonly kind: "always" | "sometimes" | "reachable" | "eventually";
  readonly statement: string;
  readonly predicate: Expression;
  /** The `sometimes` without which this property is vacuous, or null. */
  readonly exercisedBy: string | null;
}

export type Expression =
  | Constant
  | VariableReference
  | { readonly kind: "none"; readonly set: string; readonly size: number }
  | { readonly kind: "local"; readonly name: string; readonly domain: Domain }
  | { readonly kind: "table"; readonly table: string; readonly indices: readonly Expression[] }
  | {
      readonly kind: "arithmetic";
      readonly operator: "plus" | "minus" | "least" | "greatest";
      readonly left: Expression;
      readonly right: Expression;
    }
  | {
      readonly kind: "compare";
      readonly operator: "equal" | "differ" | "less" | "atMost";
      readonly left: Expression;
      readonly right: Expression;
    }
  | { readonly kind: "and" | "or"; readonly operands: readonly Expression[] }
  | { readonly kind: "not"; readonly operand: Expression }
  | {
      readonly kind: "choose";
      readonly test: Expression;
      readonly then: Expression;
      readonly otherwise: Expression;
    }
  | {
      readonly kind: "every" | "some" | "count";
      readonly local: LocalDeclaration;
      readonly body: Expression;
    };

export interface Constant {
  readonly kind: "constant";
  /** A number, or a boolean as such: the two never mix. */
  readonly value: number | boolean;
  /** The named value that it is, as `domain_value`; null for a plain number. */
  readonly label: string | null;
}

export interface VariableReference {
  readonly kind: "variable";
  readonly name: string;
  readonly index: Expression | null;
}

/** Statements run one after another; each sees what those before it assigned. */
export type Statement =
  | { readonly kind: "assign"; readonly target: VariableReference; readonly value: Expression }
  | {
      readonly kind: "if";
      readonly test: Expression;
      readonly then: readonly Statement[];
      readonly otherwise: readonly Statement[];
    }
  | {
      readonly kind: "let";
      readonly local: LocalDeclaration;
      readonly value: Expression;
      readonly body: readonly Statement[];
    }
  /** For a symmetric set the order must not matter. */
  | {
      readonly kind: "for";
      readonly local: LocalDeclaration;
      readonly body: readonly Statement[];
    };
