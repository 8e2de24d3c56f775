// How a lost release is told from none.
import { expect, it } from "vitest";
import { answers } from "../../model/gateway-answers.ts";
import { calls, recordOf, rulingOf, store, told } from "./gateway-events.ts";
import { judgeRetries } from "./judge-answers.ts";

it("is a lost release where one was sent, and none where not", () => {
  const accepted = store(0, "reserve", "proceed", { after: recordOf(0) });
  const sent = [accepted, calls(0, "release"), told(0, answers.failed)];
  expect(rulingOf(judgeRetries, sent).violations).toMatchObject([{ way: "lost release" }]);
  const unsent = [accepted, told(0, answers.failed)];
  expect(rulingOf(judgeRetries, unsent).violations).toMatchObject([{ way: "no release" }]);
});
