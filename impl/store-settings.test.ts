// Judges that an object takes its policy from its environment, and no other in silence.
import { describe, expect, test } from "vitest";
import { decide, createKeyLifecycle } from "../model/key-lifecycle.ts";
import { hardened, paper, policies, published } from "../model/policy.ts";
import { decisionsOf, settingsOf } from "./store-settings.ts";

describe("the settings of a store", () => {
  test("are hardened where the environment names no policy", () => {
    expect(settingsOf({}).policy).toBe(hardened);
  });

  test("follow the policy that the environment names", () => {
    expect(settingsOf({ LATCHKEY_POLICY: "paper" }).policy).toBe(paper);
    expect(settingsOf({ LATCHKEY_POLICY: "published" }).policy).toBe(published);
  });

  test.each(["", "Hardened", "__proto__", "toString"])("refuse the unknown policy %j", (name) => {
    expect(() => settingsOf({ LATCHKEY_POLICY: name })).toThrow(
      `unknown policy: LATCHKEY_POLICY=${name}; set it to one of paper, published, hardened`,
    );
  });

  test("decide as the machine does", () => {
    const times = { deadlineMs: 1, pendingMs: 2, retentionMs: 3 };
    const attempt = { token: "t", fingerprint: "f", times, now: 5 };
    const event = { type: "RESERVE", nextFence: 4, ...attempt } as const;
    for (const policy of Object.values(policies)) {
      expect(decisionsOf(policy)(null, event)).toEqual(
        decide(createKeyLifecycle(policy), null, event),
      );
    }
  });
});
