import { describe, expect, it } from "vitest";
import { longestBodyBytes, readBody } from "./bounded-body.ts";

/** A response whose body comes in chunks, and which counts how many were taken. */
function chunked(chunks: number, bytes: number) {
  const taken = { chunks: 0 };
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        if (taken.chunks === chunks) return controller.close();
        taken.chunks++;
        controller.enqueue(new Uint8Array(bytes).fill(0x61));
      },
    },
    { highWaterMark: 0 },
  );
  return { response: new Response(body), taken };
}

describe("a body", () => {
  it("is read up to its bound, and not a chunk further than it takes to know", async () => {
    const fits = chunked(64, 1_024);
    expect(await readBody(fits.response)).toMatchObject({ outcome: "text" });
    const endless = chunked(1_000_000, 1_024);
    expect(await readBody(endless.response)).toEqual({ outcome: "too-large" });
    expect(endless.taken.chunks).toBe(longestBodyBytes / 1_024 + 1);
  });

  it("that declares too great a length is not read at all", async () => {
    const { response, taken } = chunked(1, 1);
    const declared = new Response(response.body, { headers: { "content-length": "65537" } });
    expect(await readBody(declared)).toEqual({ outcome: "too-large" });
    expect(taken.chunks).toBe(0);
  });

  it("is read no further once nobody waits for it", async () => {
    let isCancelled = false;
    const body = new ReadableStream({ cancel: () => void (isCancelled = true) });
    const waiting = new AbortController();
    const reading = readBody(new Response(body), waiting.signal);
    waiting.abort();
    expect(await reading).toEqual({ outcome: "too-slow" });
    expect(isCancelled).toBe(true);
  });

  it("is unreadable where it is no UTF-8 or breaks off, and text where a character is split", async () => {
    const bytes = (...all: number[]) => new Response(new Uint8Array(all));
    expect(await readBody(bytes(0xff))).toEqual({ outcome: "unreadable" });
    expect(await readBody(bytes(0xe2, 0x82))).toEqual({ outcome: "unreadable" });
    expect(await readBody(bytes(0xef, 0xbb, 0xbf))).toEqual({ outcome: "text", text: "\ufeff" });
    const broken = new ReadableStream({
      pull: (controller) => controller.error(new Error("gone")),
    });
    expect(await readBody(new Response(broken))).toEqual({ outcome: "unreadable" });
    expect(await readBody(new Response(null))).toEqual({ outcome: "text", text: "" });
  });
});
