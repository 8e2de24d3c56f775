// Broken on purpose: responses are cached by the payload's fingerprint instead of by the key.
// Two keys with equal payloads share one response. Breaks *replay*: a replay differs from the
// response that was given in the commit that created the record.
import type { SessionOptions, StoreSession, StoreTarget } from "latchkey/target";

interface Row {
  status: "pending" | "committed";
  readonly token: string;
  readonly fingerprint: string;
  readonly fence: number;
  endsAtMs: number;
}

function open({ pendingMs, retentionMs }: SessionOptions): StoreSession {
  const rows = new Map<string, Row>();
  const responses = new Map<string, string>();
  let nowMs = 0;
  let fence = 0;
  const blocking = (key: string) => {
    const row = rows.get(key);
    return row !== undefined && nowMs < row.endsAtMs ? row : undefined;
  };
  return {
    async reserve(key, { token, fingerprint }) {
      const row = blocking(key);
      if (row === undefined) {
        fence += 1;
        const endsAtMs = nowMs + pendingMs;
        rows.set(key, { status: "pending", token, fingerprint, fence, endsAtMs });
        return { outcome: "proceed", fence };
      }
      if (row.fingerprint !== fingerprint) return { outcome: "mismatch" };
      if (row.status === "committed") {
        return { outcome: "duplicate", response: responses.get(fingerprint) ?? "" };
      }
      if (row.token === token) return { outcome: "proceed", fence: row.fence };
      return { outcome: "in-flight" };
    },
    async commit(key, { token, response }) {
      const row = blocking(key);
      if (row?.token !== token) return "stale";
      if (row.status === "committed") return "done"; // The first response stays.
      row.status = "committed";
      row.endsAtMs = nowMs + retentionMs; // From the commit, so that nothing is accepted too early.
      responses.set(row.fingerprint, response); // The last commit of this payload wins.
      return "done";
    },
    async release(key, { token }) {
      const row = blocking(key);
      if (row?.token !== token || row.status === "committed") return "stale";
      rows.delete(key);
      return "done";
    },
    async advance(ms) {
      nowMs += ms;
      for (const [key, row] of rows) if (nowMs >= row.endsAtMs) rows.delete(key);
    },
    async crash() {}, // Nothing to forget: each answer was kept before it was given.
    size: async () => rows.size,
    async close() {},
  };
}

const target: StoreTarget = {
  name: "replays-wrong-response",
  capabilities: {
    ownerTokens: true,
    fingerprints: true,
    replay: true,
    crash: true,
    exactClock: true,
  },
  open: async (options) => open(options),
};
export default target;
