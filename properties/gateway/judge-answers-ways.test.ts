// What a mark excuses, and how a lost release is told from none.
import { expect, it } from "vitest";
import { answers } from "../../model/gateway-answers.ts";
import { calls, executes, hears, recordOf, rulingOf, store, told } from "./gateway-events.ts";
import { judgeLosses, judgeRetries } from "./judge-answers.ts";

it("loses no message that a mark ends, where its key was executed, and only there", () => {
  const asked = (key: string) => [
    calls(0, "reserve", { key }),
    calls(1, "reserve", { key: "k" }),
    told(1, answers.queued),
    hears(1, "hasMark", "marked"),
  ];
  expect(rulingOf(judgeLosses, [...asked("k"), executes(0)]).violations).toEqual([]);
  expect(rulingOf(judgeLosses, asked("k")).violations).toHaveLength(1);
  expect(rulingOf(judgeLosses, [...asked("l"), executes(0)]).violations).toHaveLength(1);
});

it("is a lost release where one was sent, and none where not", () => {
  const accepted = store(0, "reserve", "proceed", { after: recordOf(0) });
  const sent = [accepted, calls(0, "release"), told(0, answers.failed)];
  expect(rulingOf(judgeRetries, sent).violations).toMatchObject([{ way: "lost release" }]);
  const unsent = [accepted, told(0, answers.failed)];
  expect(rulingOf(judgeRetries, unsent).violations).toMatchObject([{ way: "no release" }]);
});
