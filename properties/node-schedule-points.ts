// Schedule points under Node: the timers of the globals and of the modules that offer them too.
import { syncBuiltinESMExports } from "node:module";
import timers from "node:timers";
import timersPromises from "node:timers/promises";
import { promisify } from "node:util";
import { installSchedulePoints, longestMs, type SchedulePoints } from "./schedule-points.ts";

/**
 * Also what a target imports from `node:timers` and `node:timers/promises` is held by the plan, and
 * what it makes by `promisify` while it runs. A function that it took out of them before, as its
 * module loaded, is out of reach.
 */
export function installNodeSchedulePoints(): SchedulePoints {
  const points = installSchedulePoints([globalThis, timers]);
  const { scheduler } = timersPromises;
  const real = { setTimeout: timersPromises.setTimeout, setImmediate: timersPromises.setImmediate };
  const held = heldTimers(real);
  Object.assign(timersPromises, held);
  Object.assign(scheduler, {
    wait: (delayMs: number, options?: TimerOptions) => held.setTimeout(delayMs, undefined, options),
    yield: () => held.setImmediate(),
  });
  for (const host of [globalThis, timers]) {
    Object.assign(host.setTimeout, { [promisify.custom]: held.setTimeout });
    Object.assign(host.setImmediate, { [promisify.custom]: held.setImmediate });
  }
  syncBuiltinESMExports();
  const { uninstall } = points;
  points.uninstall = () => {
    Object.assign(timersPromises, real);
    // Its own methods are those of its prototype.
    for (const name of ["wait", "yield"]) Reflect.deleteProperty(scheduler, name);
    syncBuiltinESMExports();
    uninstall();
  };
  return points;
}

type TimerOptions = Parameters<typeof timersPromises.setTimeout>[2];

/** Timers that are too long for a schedule point, or can be aborted, stay those of Node. */
function heldTimers(real: Pick<typeof timersPromises, "setTimeout" | "setImmediate">) {
  return {
    setTimeout: <Value>(
      delayMs = 0,
      value?: Value,
      options?: TimerOptions,
    ): Promise<Value | undefined> =>
      delayMs > longestMs || options?.signal !== undefined
        ? real.setTimeout(delayMs, value, options)
        : new Promise((resolve) => globalThis.setTimeout(() => resolve(value), delayMs)),
    setImmediate: <Value>(value?: Value, options?: TimerOptions): Promise<Value | undefined> =>
      options?.signal !== undefined
        ? real.setImmediate(value, options)
        : new Promise((resolve) => globalThis.setImmediate(() => resolve(value))),
  };
}
