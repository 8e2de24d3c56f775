// Which timers of a target are schedule points, and how a run holds and opens them.

/**
 * While a run is on, a timer that a target sets for at most `longestMs` does not fire by itself:
 * it is parked, and the plan's schedule says when it is opened. So a gap between a read and a
 * write is a place where the plan can put another operation. Longer timers stay real: they are
 * time-outs and reconnects of clients, not gaps.
 */
export interface SchedulePoints {
  /** How many timers are parked now. */
  parked(): number;
  /** Fires the parked timer at `index`, in the order in which they were set. */
  open(index: number): void;
  /** Called whenever a timer is parked, where that happens: see `elsewhere`. */
  onParked: () => void;
  /** What the target's timers and the run do not share, where they do not; null in one process. */
  readonly elsewhere: Elsewhere | null;
  /** Drops what is parked: a reset object's timers never fire. */
  forget: () => void;
  /** Gives the runtime its timers back and fires what is still parked. */
  uninstall: () => void;
}

/**
 * The target's timers belong to another I/O context than the run: a Durable Object beside it, in
 * workerd. There a promise that one context waits for and another resolves may go on in the wrong
 * one, and what it touches next answers "Cannot perform I/O on behalf of a different request"
 * (seen in workerd 2026-04-26 once the code was hot). So neither side resolves what is the other's:
 * a timer is fired by a call of the object, and the run looks for parked timers by itself.
 */
export interface Elsewhere {
  /** Has `fire` called inside the context that set the timer. */
  readonly fireThere: (fire: () => void) => void;
  /** How long the run may wait before it looks again for timers, real milliseconds. */
  readonly lookEveryMs: number;
}

/** Longer timers of a target run in real time. */
export const longestMs = 20;

/** The timers of the runtime itself, for the harness's own use while schedule points are installed. */
export const realTimers = {
  setTimeout: globalThis.setTimeout.bind(globalThis),
  clearTimeout: globalThis.clearTimeout.bind(globalThis),
};

type Callback = (...values: readonly unknown[]) => void;

interface ParkedTimer {
  readonly fire: () => void;
}

/** A place where a runtime keeps `setTimeout`, `clearTimeout` and perhaps `setImmediate`. */
export interface TimerHost {
  setTimeout: unknown;
  clearTimeout: unknown;
  setImmediate?: unknown;
  clearImmediate?: unknown;
}

/** Schedule points replace the timers of each host; a second installation at once is an error. */
export function installSchedulePoints(
  hosts: readonly TimerHost[] = [globalThis],
  elsewhere: Elsewhere | null = null,
): SchedulePoints {
  if (installed) throw new Error("schedule points are installed already: uninstall them first");
  installed = true;
  const parked = new Map<object, ParkedTimer>();
  const fire = (timer: ParkedTimer): void =>
    elsewhere === null ? timer.fire() : elsewhere.fireThere(timer.fire);
  const points: SchedulePoints = {
    elsewhere,
    parked: () => parked.size,
    open: (index) => {
      const entry = [...parked][index];
      if (entry === undefined) throw new Error(`no timer is parked at index=${index}`);
      parked.delete(entry[0]);
      fire(entry[1]);
    },
    onParked: () => {},
    uninstall: () => {
      for (const restore of restores) restore();
      installed = false;
      for (const [handle, timer] of [...parked]) {
        parked.delete(handle);
        fire(timer);
      }
    },
    forget: () => parked.clear(),
  };
  const park = (fire: () => void): object => {
    const handle = parkedHandle(() => parked.delete(handle));
    parked.set(handle, { fire });
    points.onParked();
    return handle;
  };
  const restores = hosts.map((host) => replaceTimers(host, park, parked));
  return points;
}

let installed = false;

function replaceTimers(
  host: TimerHost,
  park: (fire: () => void) => object,
  parked: Map<object, ParkedTimer>,
): () => void {
  const real = { ...pickTimers(host) };
  const clear = (realClear: unknown) => (handle: unknown) => {
    if (typeof handle === "object" && handle !== null && parked.delete(handle)) return;
    (realClear as (handle: unknown) => void)(handle);
  };
  host.setTimeout = (callback: Callback, delayMs: number = 0, ...values: readonly unknown[]) =>
    delayMs > longestMs
      ? (real.setTimeout as (...all: readonly unknown[]) => unknown)(callback, delayMs, ...values)
      : park(() => callback(...values));
  host.clearTimeout = clear(real.clearTimeout);
  if (real.setImmediate !== undefined) {
    host.setImmediate = (callback: Callback, ...values: readonly unknown[]) =>
      park(() => callback(...values));
    host.clearImmediate = clear(real.clearImmediate);
  }
  return () => Object.assign(host, real);
}

function pickTimers(host: TimerHost): TimerHost {
  const { setTimeout, clearTimeout, setImmediate, clearImmediate } = host;
  return setImmediate === undefined
    ? { setTimeout, clearTimeout }
    : { setTimeout, clearTimeout, setImmediate, clearImmediate };
}

/** What `setTimeout` gives back: an object with the methods that Node's timers have. */
function parkedHandle(cancel: () => void): object {
  const handle = {
    ref: () => handle,
    unref: () => handle,
    hasRef: () => true,
    refresh: () => handle,
    close: () => {
      cancel();
      return handle;
    },
  };
  return handle;
}
