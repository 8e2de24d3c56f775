// The key lifecycle machine itself as a target: a store with nothing between it and its decisions.
import { decide, createKeyLifecycle } from "../../model/key-lifecycle.ts";
import type { Policy } from "../../model/policy.ts";
import type {
  BlockingTimes,
  KeyCommand,
  KeyEvent,
  KeyRecord,
  KeyReply,
} from "../../model/vocabulary.ts";
import { answerOf, capabilitiesOf, sessionTimes, settlementOf } from "../policy-answers.ts";
import type { SessionOptions, StoreSession, StoreTarget } from "../target.ts";

/** The model under a policy; its alarms run on time. */
export function modelTarget(policy: Policy): StoreTarget {
  const lifecycle = createKeyLifecycle(policy);
  return {
    name: "model",
    capabilities: capabilitiesOf(policy),
    open: async (options) => openModel(policy, lifecycle, options),
  };
}

function openModel(
  policy: Policy,
  lifecycle: ReturnType<typeof createKeyLifecycle>,
  options: SessionOptions,
): StoreSession {
  const times: BlockingTimes = sessionTimes(options);
  const records = new Map<string, KeyRecord>();
  let now = 0;
  let fence = 0;
  let alarmAtMs: number | null = null;

  const carryOut = (key: string, command: KeyCommand): KeyReply | null => {
    switch (command.type) {
      case "persist":
        records.set(key, command.record);
        fence = Math.max(fence, command.record.fence);
        return null;
      case "erase":
        records.delete(key);
        return null;
      case "scheduleAlarm":
        if (command.mode === "replace" || alarmAtMs === null || command.atMs < alarmAtMs) {
          alarmAtMs = command.atMs;
        }
        return null;
      case "reply":
        return command.reply;
    }
  };
  const send = (key: string, event: KeyEvent): KeyReply | null => {
    const { commands } = decide(lifecycle, records.get(key) ?? null, event);
    return (
      commands.map((command) => carryOut(key, command)).find((reply) => reply !== null) ?? null
    );
  };
  const runAlarm = (): void => {
    alarmAtMs = null;
    for (const key of [...records.keys()]) send(key, { type: "ALARM", now });
    for (const { expiresAtMs } of records.values()) {
      if (alarmAtMs === null || expiresAtMs < alarmAtMs) alarmAtMs = expiresAtMs;
    }
  };
  return {
    reserve: async (key, { token, fingerprint }) =>
      answerOf(
        policy,
        send(key, { type: "RESERVE", token, fingerprint, nextFence: fence + 1, times, now }),
      ),
    commit: async (key, { token, fingerprint, response }) =>
      settlementOf(send(key, { type: "COMMIT", token, fingerprint, response, times, now })),
    release: async (key, { token }) => settlementOf(send(key, { type: "RELEASE", token, now })),
    advance: async (ms) => {
      const end = now + ms;
      while (alarmAtMs !== null && alarmAtMs <= end) {
        now = Math.max(now, alarmAtMs);
        runAlarm();
      }
      now = end;
    },
    crash: async () => {},
    size: async () => records.size,
    close: async () => {},
  };
}
