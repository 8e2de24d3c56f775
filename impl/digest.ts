// How texts become digests: SHA-256 in hexadecimal, and a comparison that takes the same time for any two.
import { canonicalText, type Trade } from "./payload-schema.ts";

/** The fingerprint of a trade: the digest of its canonical text. */
export function fingerprintOf(trade: Trade): Promise<string> {
  return digestOf(canonicalText(trade));
}

/** The id under which downstream knows the order of `key`, whatever is in the key. */
export async function clientOrderIdOf(key: string): Promise<string> {
  return (await digestOf(`order/1 ${key}`)).slice(0, 32);
}

export async function digestOf(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Compares two digests unit by unit without leaving early. */
export function isSameDigest(one: string, other: string): boolean {
  if (one.length !== other.length) return false;
  let difference = 0;
  for (let at = 0; at < one.length; at++) difference |= one.charCodeAt(at) ^ other.charCodeAt(at);
  return difference === 0;
}
