// Opens the session of a plan; where the plan says so, another is open beside and holds every key.
import { boundSession } from "./bound-session.ts";
import type { Plan } from "./plan.ts";
import type { StoreSession, StoreTarget } from "./target.ts";

/** The session closes twice, as the contract lets anybody do. */
export async function openSession(
  target: StoreTarget,
  { pendingMs, retentionMs, keys, beside }: Plan,
): Promise<StoreSession> {
  const times = { pendingMs, retentionMs };
  if (beside !== true) return closingTwice(await target.open(times));
  const other = await target.open(times);
  for (const key of keys) await reserveIn(other, key);
  const session = closingTwice(await target.open(times));
  return {
    ...session,
    close: async () => {
      await session.close();
      await closingTwice(other).close();
    },
  };
}

/** A key beyond the target's stated limits is left out. */
async function reserveIn(session: StoreSession, key: string): Promise<void> {
  try {
    await session.reserve(key, { token: "beside", fingerprint: "beside" });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
}

function closingTwice(session: StoreSession): StoreSession {
  return {
    ...boundSession(session),
    close: async () => {
      await session.close();
      await session.close();
    },
  };
}
