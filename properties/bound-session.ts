// How a session is taken as plain functions, whatever class it is of, so that some can be put in place of others.
import type { StoreSession } from "./target.ts";

/** The session's own operations; spread it and replace what is to differ. */
export function boundSession(session: StoreSession): StoreSession {
  return {
    reserve: (key, attempt) => session.reserve(key, attempt),
    commit: (key, attempt) => session.commit(key, attempt),
    release: (key, attempt) => session.release(key, attempt),
    advance: (ms) => session.advance(ms),
    crash: () => session.crash(),
    size: () => session.size(),
    close: () => session.close(),
  };
}
