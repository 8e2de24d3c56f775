// How a harness Worker answers Node: a handler for each path, JSON bodies, an error as text.
import type { PlanVerdict } from "./plan-runner.ts";
import { realTimers } from "./schedule-points.ts";

/** Request and answer by path, as JSON bodies; every request is a POST. */
export type CallsOf<Known> = Readonly<
  Record<keyof Known, { readonly request: unknown; readonly answer: unknown }>
>;

export type HarnessHandlers<Known extends CallsOf<Known>, Env> = {
  readonly [Path in keyof Known]: (
    request: Known[Path]["request"],
    env: Env,
  ) => Promise<Known[Path]["answer"]>;
};

/** The Worker that gives each request to the handler of its path; an unknown path is a 404. */
export function serve<Known extends CallsOf<Known>, Env>(handlers: HarnessHandlers<Known, Env>) {
  return {
    async fetch(request: Request, env: Env): Promise<Response> {
      const { pathname } = new URL(request.url);
      if (!Object.hasOwn(handlers, pathname)) {
        return new Response(`no such path: ${pathname}`, { status: 404 });
      }
      try {
        const handler = handlers[pathname as keyof Known];
        return Response.json(await handler(await request.json(), env));
      } catch (error) {
        const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
        return new Response(text, { status: 500 });
      }
    },
  };
}

/**
 * Judges plans one after another, with a pause after every `plansPerPause`. A target fault ends it:
 * a target that hangs takes its whole answer bound each time.
 */
export async function judgeEach<SomePlan>(
  plans: readonly SomePlan[],
  plansPerPause: number,
  judge: (plan: SomePlan) => Promise<PlanVerdict>,
): Promise<PlanVerdict[]> {
  const verdicts: PlanVerdict[] = [];
  for (const plan of plans) {
    const verdict = await judge(plan);
    verdicts.push(verdict);
    if (verdict.violations.some(({ invariant }) => invariant === "target-fault")) break;
    if (verdicts.length % plansPerPause === 0) await breathe();
  }
  return verdicts;
}

/** A tight loop of calls starves workerd's event loop: timers and new requests wait for its pauses. */
export function breathe(): Promise<void> {
  return new Promise((resolve) => realTimers.setTimeout(() => resolve(), 0));
}
