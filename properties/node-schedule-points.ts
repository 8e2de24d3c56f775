// Schedule points under Node: the timers of the globals and of the modules that offer them too.
import { syncBuiltinESMExports } from "node:module";
import timers from "node:timers";
import timersPromises from "node:timers/promises";
import { installSchedulePoints, type SchedulePoints } from "./schedule-points.ts";

/** Also what a target imports from `node:timers` and `node:timers/promises` is held by the plan. */
export function installNodeSchedulePoints(): SchedulePoints {
  const points = installSchedulePoints([globalThis, timers]);
  const real = { setTimeout: timersPromises.setTimeout, setImmediate: timersPromises.setImmediate };
  const promised = {
    setTimeout: <Value>(delayMs?: number, value?: Value): Promise<Value | undefined> =>
      new Promise((resolve) => globalThis.setTimeout(() => resolve(value), delayMs)),
    setImmediate: <Value>(value?: Value): Promise<Value | undefined> =>
      new Promise((resolve) => globalThis.setImmediate(() => resolve(value))),
  };
  Object.assign(timersPromises, promised);
  syncBuiltinESMExports();
  const { uninstall } = points;
  points.uninstall = () => {
    Object.assign(timersPromises, real);
    syncBuiltinESMExports();
    uninstall();
  };
  return points;
}
