// A model of an eventually consistent key-value store: central values, copies at each location.
import type { KeyValueStore } from "./kv-session.ts";

export interface EventualStoreOptions {
  /** How old a copy may become, in milliseconds, before a location asks the centre again; 0: no copies. */
  readonly stalenessMs: number;
  /**
   * `looked-up`: when the store is opened each location has just looked for every name and found
   * nothing, and a copy of that absence is as good as any other. `empty`: no location has copies.
   */
  readonly copiesAtOpening: "looked-up" | "empty";
  /** The one clock of all locations, in milliseconds from the opening. */
  readonly now: () => number;
}

/**
 * Bounded staleness as Workers KV documents it: a write goes to the centre and is seen at once at
 * the location that made it; a location that has a copy, be it of an absence, answers with it until
 * the copy is as old as the bound. So a get gives what the centre held at some moment less than
 * `stalenessMs` ago. The last writer wins, and nothing can compare and set.
 */
export class EventualStore {
  readonly #options: EventualStoreOptions;
  readonly #central = new Map<string, string>();
  readonly #copies = new Map<string, Map<string, Copy>>();

  constructor(options: EventualStoreOptions) {
    this.#options = options;
  }

  /** The store as it is seen from a location. */
  at(location: string): KeyValueStore {
    const copies = this.#copies.get(location) ?? new Map<string, Copy>();
    this.#copies.set(location, copies);
    const { now } = this.#options;
    return {
      get: async (name) => {
        const copy = copies.get(name) ?? this.#copyAtOpening();
        if (copy !== null && this.#isFresh(copy)) return copy.value;
        const value = this.#central.get(name) ?? null;
        copies.set(name, { value, sinceMs: now() });
        return value;
      },
      put: async (name, value) => {
        this.#central.set(name, value);
        copies.set(name, { value, sinceMs: now() });
      },
      delete: async (name) => {
        this.#central.delete(name);
        copies.set(name, { value: null, sinceMs: now() });
      },
    };
  }

  /** The store without copies. */
  get centre(): KeyValueStore {
    return {
      get: async (name) => this.#central.get(name) ?? null,
      put: async (name, value) => void this.#central.set(name, value),
      delete: async (name) => void this.#central.delete(name),
    };
  }

  #isFresh({ sinceMs }: Copy): boolean {
    return this.#options.now() - sinceMs < this.#options.stalenessMs;
  }

  #copyAtOpening(): Copy | null {
    return this.#options.copiesAtOpening === "looked-up" ? { value: null, sinceMs: 0 } : null;
  }
}

interface Copy {
  /** Null: there was nothing. */
  readonly value: string | null;
  /** When it was what the centre held. */
  readonly sinceMs: number;
}
