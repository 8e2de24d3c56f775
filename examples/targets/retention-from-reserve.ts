// Broken on purpose: a committed record's retention counts from its reserve, as published.
// An attempt that commits late in its pending time blocks for hardly any time at all. Breaks
// *committed-blocks*: a key is accepted again before the retention since its commit is over.
import type { SessionOptions, StoreSession, StoreTarget } from "latchkey/target";

interface Row {
  status: "pending" | "committed";
  readonly token: string;
  readonly fingerprint: string;
  readonly fence: number;
  readonly acceptedAtMs: number;
  endsAtMs: number;
  response: string;
}

function open({ pendingMs, retentionMs }: SessionOptions): StoreSession {
  const rows = new Map<string, Row>();
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
        rows.set(key, {
          status: "pending",
          token,
          fingerprint,
          fence,
          acceptedAtMs: nowMs,
          endsAtMs: nowMs + pendingMs,
          response: "",
        });
        return { outcome: "proceed", fence };
      }
      if (row.fingerprint !== fingerprint) return { outcome: "mismatch" };
      if (row.status === "committed") return { outcome: "duplicate", response: row.response };
      if (row.token === token) return { outcome: "proceed", fence: row.fence };
      return { outcome: "in-flight" };
    },
    async commit(key, { token, response }) {
      const row = blocking(key);
      if (row?.token !== token) return "stale";
      if (row.status === "committed") return "done"; // The first response stays.
      row.status = "committed";
      row.endsAtMs = row.acceptedAtMs + retentionMs; // And the time that the work took?
      row.response = response;
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
  name: "retention-from-reserve",
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
