// How much of a body is read: up to a bound, as it streams, and only well-formed UTF-8.

export type BodyReading =
  | { readonly outcome: "text"; readonly text: string }
  | { readonly outcome: "too-large" }
  /** The wait for it was given up. */
  | { readonly outcome: "too-slow" }
  /** The stream broke off, or its bytes are no UTF-8. */
  | { readonly outcome: "unreadable" };

/** Longest body of a request, and of a downstream answer, in bytes. */
export const longestBodyBytes = 64 * 1024;

/**
 * Reads a body that has `longestBodyBytes` at most. A length that the sender declares is believed
 * only where it is too large; what streams is counted. Once `signal` aborts nothing more is read.
 */
export async function readBody(
  message: Request | Response,
  signal?: AbortSignal,
): Promise<BodyReading> {
  if (Number(message.headers.get("content-length") ?? 0) > longestBodyBytes) {
    await message.body?.cancel().catch(() => {});
    return { outcome: "too-large" };
  }
  if (message.body === null) return { outcome: "text", text: "" };
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  const reader = (message.body as ReadableStream<Uint8Array>).getReader();
  signal?.addEventListener("abort", () => void reader.cancel().catch(() => {}));
  let text = "";
  let bytes = 0;
  try {
    // Bounded by the bytes: a chunk has at least one.
    for (;;) {
      const { done, value } = await reader.read();
      if (signal?.aborted === true) return { outcome: "too-slow" };
      if (done) return { outcome: "text", text: text + decoder.decode() };
      bytes += value.byteLength;
      if (bytes > longestBodyBytes) {
        await reader.cancel().catch(() => {});
        return { outcome: "too-large" };
      }
      text += decoder.decode(value, { stream: true });
    }
  } catch {
    return { outcome: "unreadable" };
  }
}
