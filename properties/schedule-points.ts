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
  /** Called whenever a timer is parked. */
  onParked: () => void;
  /** Gives the runtime its timers back and fires what is still parked. */
  uninstall: () => void;
}

const longestMs = 20;

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
export function installSchedulePoints(hosts: readonly TimerHost[] = [globalThis]): SchedulePoints {
  if (installed) throw new Error("schedule points are installed already: uninstall them first");
  installed = true;
  const parked = new Map<object, ParkedTimer>();
  const points: SchedulePoints = {
    parked: () => parked.size,
    open: (index) => {
      const entry = [...parked][index];
      if (entry === undefined) throw new Error(`no timer is parked at index=${index}`);
      parked.delete(entry[0]);
      entry[1].fire();
    },
    onParked: () => {},
    uninstall: () => {
      for (const restore of restores) restore();
      installed = false;
      for (const [handle, timer] of [...parked]) {
        parked.delete(handle);
        timer.fire();
      }
    },
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
