// Claim: rate limits are atomic: many isolates that ask one session's limiter at once are admitted the limit together.
import { Log, LogLevel, Miniflare } from "miniflare";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { RateLimit } from "../../impl/rate-limit.ts";
import { makeScratchFolder, type ScratchFolder } from "../durable-object/scratch-folder.ts";
import { compatibilityDate } from "../harness-process.ts";
import { workerScript } from "../worker-script.ts";
import type { IsolateAnswer, IsolateJob } from "./isolates-driver.ts";

const isolates = ["one", "two", "three", "four"];
/** A window that no run of this test outlasts. */
const limit: RateLimit = { algorithm: "sliding-log", requests: 10, windowMs: 3_600_000 };

let folder: ScratchFolder;
let miniflare: Miniflare;

beforeAll(async () => {
  folder = makeScratchFolder();
  const contents = await workerScript(new URL("isolates-driver.ts", import.meta.url));
  const worker = {
    modules: [{ type: "ESModule" as const, path: "isolates-driver.js", contents }],
    compatibilityDate,
  };
  const LIMITER = { className: "RateLimiterStore", useSQLite: true };
  miniflare = new Miniflare({
    log: new Log(LogLevel.NONE),
    defaultPersistRoot: folder.path,
    workers: [
      { ...worker, name: "limiter", durableObjects: { LIMITER } },
      ...isolates.map((name) => ({
        ...worker,
        name,
        durableObjects: { LIMITER: { ...LIMITER, scriptName: "limiter" } },
      })),
    ],
  });
  await miniflare.ready;
});

afterAll(() => miniflare.dispose().finally(() => folder.remove()));

async function ask(name: string, job: IsolateJob): Promise<IsolateAnswer> {
  const isolate = await miniflare.getWorker(name);
  const request = { method: "POST", body: JSON.stringify(job) };
  const response = await isolate.fetch("http://isolate/", request);
  return (await response.json()) as IsolateAnswer;
}

it("asks from isolates that share no memory: each counts its own requests alone", async () => {
  const job = { session: "none", limit, calls: 0 };
  const once = await Promise.all(isolates.map((name) => ask(name, job)));
  expect(once.map(({ served }) => served)).toEqual(isolates.map(() => 1));
});

it.each(["sliding-log", "fixed-window"] as const)(
  "admits exactly the limit of 400 concurrent requests from four isolates: %s",
  async (algorithm) => {
    const job = { session: algorithm, limit: { ...limit, algorithm }, calls: 50 };
    const answers = await Promise.all([...isolates, ...isolates].map((name) => ask(name, job)));
    const outcomes = answers.flatMap((answer) => answer.outcomes);
    expect(outcomes).toHaveLength(400);
    expect(outcomes.filter((outcome) => outcome === "admitted")).toHaveLength(10);
  },
);

it("limits each session by itself", async () => {
  const jobs = isolates.map((session) => ({ session, limit, calls: 20 }));
  const answers = await Promise.all(
    jobs.flatMap((job) =>
      isolates.map((name) => ask(name, { ...job, session: `own ${job.session}` })),
    ),
  );
  const admitted = answers
    .flatMap(({ outcomes }) => outcomes)
    .filter((each) => each === "admitted");
  expect(admitted).toHaveLength(isolates.length * limit.requests);
});
