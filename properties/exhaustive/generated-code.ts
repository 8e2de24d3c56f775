// Pieces of generated JavaScript that know their range, so that constants fold and needless checks disappear.

/** An expression of generated code: its text, and the least and the greatest value that it can have. */
export interface Code {
  readonly text: string;
  /** Whether the text is a JavaScript boolean; its values then count as 0 and 1. */
  readonly boolean: boolean;
  readonly min: number;
  readonly max: number;
  /** Set for `field === constant` and conjunctions of such within one word: `(word & mask) === value`. */
  readonly maskTest?: MaskTest;
  /** Set for a field that is read as it is in a word. */
  readonly field?: FieldPlace;
}

export interface FieldPlace {
  readonly wordText: string;
  readonly shift: number;
  readonly bits: number;
}

interface MaskTest {
  readonly wordText: string;
  readonly mask: number;
  readonly value: number;
}

export const truth = (value: boolean): Code => ({
  text: String(value),
  boolean: true,
  min: Number(value),
  max: Number(value),
});

export const integer = (value: number): Code => ({
  text: value < 0 ? `(${value})` : String(value),
  boolean: false,
  min: value,
  max: value,
});

/** The one value that the code can have, or null. */
export function knownValue(code: Code): number | null {
  return code.min === code.max ? code.min : null;
}

/** Text that is an integer, also for a boolean. */
export function asInteger(code: Code): string {
  const known = knownValue(code);
  if (known !== null) return String(known);
  return code.boolean ? `(${code.text} ? 1 : 0)` : code.text;
}

export function readField(place: FieldPlace, max: number): Code {
  const { wordText, shift, bits } = place;
  const shifted = shift === 0 ? wordText : `(${wordText} >>> ${shift})`;
  // A field that ends with its word needs no mask, as long as the shift has made it unsigned.
  const text = shift > 0 && shift + bits === 32 ? shifted : `(${shifted} & ${maskOf(bits)})`;
  return { text, boolean: false, min: 0, max, field: place };
}

/** The same field as a boolean. */
export function readFlag(place: FieldPlace): Code {
  return { ...compareCode("equal", readField(place, 1), integer(1)), min: 0, max: 1 };
}

export function maskOf(bits: number): number {
  return bits === 32 ? -1 : (1 << bits) - 1;
}

export function arithmeticCode(operator: string, left: Code, right: Code): Code {
  const [a, b] = [asInteger(left), asInteger(right)];
  switch (operator) {
    case "plus":
      return folded(`(${a} + ${b})`, left.min + right.min, left.max + right.max);
    case "minus":
      return folded(`(${a} - ${b})`, left.min - right.max, left.max - right.min);
    case "least":
      if (left.max <= right.min) return left;
      if (right.max <= left.min) return right;
      return folded(
        `Math.min(${a}, ${b})`,
        Math.min(left.min, right.min),
        Math.min(left.max, right.max),
      );
    default:
      if (left.max <= right.min) return right;
      if (right.max <= left.min) return left;
      return folded(
        `Math.max(${a}, ${b})`,
        Math.max(left.min, right.min),
        Math.max(left.max, right.max),
      );
  }
}

export function compareCode(operator: string, left: Code, right: Code): Code {
  switch (operator) {
    case "equal":
      return equalCode(left, right);
    case "differ":
      return notCode(equalCode(left, right));
    case "less":
      if (left.max < right.min) return truth(true);
      if (left.min >= right.max) return truth(false);
      return test(`(${asInteger(left)} < ${asInteger(right)})`);
    default:
      if (left.max <= right.min) return truth(true);
      if (left.min > right.max) return truth(false);
      return test(`(${asInteger(left)} <= ${asInteger(right)})`);
  }
}

export function notCode(code: Code): Code {
  const known = knownValue(code);
  return known === null ? test(`!${code.text}`) : truth(known === 0);
}

export function andCode(operands: readonly Code[]): Code {
  if (operands.some((each) => each.max === 0)) return truth(false);
  const open = mergeMaskTests(operands.filter((each) => each.min === 0));
  const [first] = open;
  if (first === undefined) return truth(true);
  if (open.length === 1) return first;
  return test(`(${open.map((each) => each.text).join(" && ")})`);
}

export function orCode(operands: readonly Code[]): Code {
  if (operands.some((each) => each.min === 1)) return truth(true);
  const open = operands.filter((each) => each.max === 1);
  const [first] = open;
  if (first === undefined) return truth(false);
  if (open.length === 1) return first;
  return test(`(${open.map((each) => each.text).join(" || ")})`);
}

export function chooseCode(condition: Code, then: Code, otherwise: Code): Code {
  const known = knownValue(condition);
  if (known !== null) return known === 1 ? then : otherwise;
  const [min, max] = [Math.min(then.min, otherwise.min), Math.max(then.max, otherwise.max)];
  const boolean = then.boolean && otherwise.boolean;
  const branches = boolean ? [then.text, otherwise.text] : [asInteger(then), asInteger(otherwise)];
  if (branches[0] === branches[1]) return then;
  return { text: `(${condition.text} ? ${branches[0]} : ${branches[1]})`, boolean, min, max };
}

export function countCode(operands: readonly Code[]): Code {
  return operands.reduce((sum, each) => arithmeticCode("plus", sum, each), integer(0));
}

function equalCode(left: Code, right: Code): Code {
  if (left.max < right.min || right.max < left.min) return truth(false);
  if (left.text === right.text) return truth(true);
  const [known, other] =
    knownValue(left) === null ? [knownValue(right), left] : [knownValue(left), right];
  if (known === null) return test(`(${asInteger(left)} === ${asInteger(right)})`);
  if (other.boolean) return known === 1 ? other : notCode(other);
  if (knownValue(other) !== null) return truth(knownValue(other) === known);
  const { field } = other;
  if (field === undefined) return test(`(${other.text} === ${known})`);
  const mask = maskOf(field.bits) << field.shift;
  return maskTested({ wordText: field.wordText, mask, value: known << field.shift });
}

// Equality of several fields of one word is one comparison of the word under a joint mask.
function mergeMaskTests(operands: readonly Code[]): readonly Code[] {
  const merged = new Map<string, MaskTest>();
  const others: Code[] = [];
  for (const each of operands) {
    const { maskTest } = each;
    const before = maskTest === undefined ? undefined : merged.get(maskTest.wordText);
    if (maskTest === undefined) {
      others.push(each);
    } else if (before === undefined) {
      merged.set(maskTest.wordText, maskTest);
    } else if ((before.mask & maskTest.mask) === 0) {
      const mask = before.mask | maskTest.mask;
      merged.set(maskTest.wordText, { ...before, mask, value: before.value | maskTest.value });
    } else {
      others.push(each);
    }
  }
  // Mask tests never fail, so they may come before the tests that a guard protects.
  return [...[...merged.values()].map(maskTested), ...others];
}

function maskTested(maskTest: MaskTest): Code {
  const { wordText, mask, value } = maskTest;
  return { ...test(`((${wordText} & ${mask}) === ${value})`), maskTest };
}

const test = (text: string): Code => ({ text, boolean: true, min: 0, max: 1 });

function folded(text: string, min: number, max: number): Code {
  return min === max ? integer(min) : { text, boolean: false, min, max };
}
