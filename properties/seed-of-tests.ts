// With which seed the property tests run: `LATCHKEY_SEED`, or the fixed one; each test file's run says it.
import fc from "fast-check";

const seed = Number(process.env["LATCHKEY_SEED"] ?? 20_261_130);
if (!Number.isInteger(seed) || Math.abs(seed) > 2 ** 31) {
  throw new Error(`the seed is not a 32-bit whole number: LATCHKEY_SEED=${seed}; give one`);
}
fc.configureGlobal({ seed });
