// Broken on purpose: a release deletes the record whoever sends it, as the published algorithm does.
// An attempt that stalled past its pending time deletes the reservation of the next one. Breaks
// *ownership*: a release by an attempt that is not the holder changes another attempt's record.
import type { SessionOptions, StoreSession, StoreTarget } from "latchkey/target";

interface Row {
  status: "pending" | "committed";
  readonly token: string;
  readonly fingerprint: string;
  readonly fence: number;
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
        const endsAtMs = nowMs + pendingMs;
        rows.set(key, { status: "pending", token, fingerprint, fence, endsAtMs, response: "" });
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
      row.endsAtMs = nowMs + retentionMs; // From the commit, so that nothing is accepted too early.
      row.response = response;
      return "done";
    },
    async release(key) {
      const row = blocking(key);
      if (row === undefined || row.status === "committed") return "stale";
      rows.delete(key); // Whose reservation is it?
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
  name: "release-ignores-owner",
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
