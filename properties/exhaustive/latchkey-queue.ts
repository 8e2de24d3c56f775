// The steps of the queue and its consumer: enqueue, deliver, claim or check, execute, settle; at least once, late, side by side.
import { type Parts, attemptRule, faultRule, tell } from "./latchkey-steps.ts";
import { ends, executeRules, giveBack, guardRules } from "./latchkey-deliveries.ts";
import { type EventName, phases } from "./latchkey-phases.ts";
import { deliveries, messages } from "./latchkey-state.ts";
import { type Indexed, assign, when } from "./system-builders.ts";
import { and, atMost, differ, equal, greater, not, oneOf, or, plus } from "./system-expressions.ts";
import { type Expression, type Rule } from "./system-language.ts";

export function queueRules(parts: Parts): readonly Rule[] {
  if (!parts.state.message) return [];
  return [...enqueueRules(parts), ...[0, 1].flatMap((place) => deliveryRules(parts, place))];
}

/** A message waits in the queue for any time, so that an enqueue under way needs no step of its own. */
function enqueueRules(parts: Parts): readonly Rule[] {
  const { phase, message } = parts.state;
  if (!message) return [];
  const waits = (a: Expression) => equal(phase.at(a), phases.of.enqueueing);
  const queued = (a: Expression) => assign(message.at(a), messages.of.queued);
  const told = (event: EventName) => (a: Expression) => tell(parts, a, [event]);
  const tells = (action: string, detail: string) => ({
    actor: "queue",
    action,
    detail: `${detail}: attempt {a} is {phase[a]'}`,
  });
  return [
    attemptRule(
      parts,
      "enqueue",
      waits,
      (a) => [queued(a), ...told("ENQUEUE-accepted")(a)],
      tells("enqueue", "the message is in the queue"),
    ),
    ...faultRule(
      parts,
      "lostReply",
      "enqueue, reply lost",
      waits,
      (a) => [queued(a), ...told("ENQUEUE-unanswered")(a)],
      tells("enqueue, reply lost", "the message is in the queue, nobody hears"),
    ),
    ...faultRule(
      parts,
      "lostCall",
      "lose enqueue",
      waits,
      told("ENQUEUE-unanswered"),
      tells("enqueue, lost", "it never reached the queue"),
    ),
    ...faultRule(
      parts,
      "notConnected",
      "enqueue fails",
      waits,
      told("ENQUEUE-failed"),
      tells("enqueue fails", "the queue refuses it"),
    ),
  ];
}

const names = ["first", "second"] as const;

/**
 * A message has two deliveries at most (the queue's four differ in nothing but their number). The
 * second comes once the first gave it back, or, a fault, while the first still runs or is done.
 */
function deliveryRules(parts: Parts, place: number): readonly Rule[] {
  const slot = parts.state.slots[place];
  const name = names[place];
  if (!slot || !name) return [];
  return [
    ...beginRules(parts, slot, place, name),
    ...guardRules(parts, slot, place, name),
    ...executeRules(parts, slot, name),
    ...faultRule(
      parts,
      "stop",
      `stop ${name} delivery`,
      (a) => oneOf(slot.at(a), [deliveries.of.checking, deliveries.of.executing]),
      (a) => [
        // What it had sent to downstream is still under way.
        when(equal(slot.at(a), deliveries.of.executing), [
          assign(parts.state.dispatches.at(a), plus(parts.state.dispatches.at(a), 1)),
        ]),
        ...giveBack(parts, slot, a),
      ],
      {
        actor: `consumer ({a}, ${name})`,
        action: "stop",
        detail: `stops while {${slot.declaration.name}[a]}`,
      },
    ),
  ];
}

function beginRules(parts: Parts, slot: Indexed, place: number, name: string): readonly Rule[] {
  const { state } = parts;
  const { message, slots, effectBy, options } = state;
  const [first] = slots;
  if (!message || !first) return [];
  const idle = (a: Expression) => equal(slot.at(a), deliveries.of.none);
  const queued = (a: Expression) => equal(message.at(a), messages.of.queued);
  const returned = (a: Expression) =>
    place === 0 ? true : equal(first.at(a), deliveries.of.finished);
  const started = (a: Expression) => differ(first.at(a), deliveries.of.none);
  const checking = (a: Expression) => [assign(slot.at(a), deliveries.of.checking)];
  const actor = `consumer ({a}, ${name})`;
  // The consumer's clock may lag like downstream's: in between it takes the message for either.
  const inTime = (a: Expression) => (effectBy ? greater(effectBy.at(a), 0) : true);
  const late = effectBy
    ? [
        attemptRule(
          parts,
          `dead-letter late, ${name}`,
          (a) => and(idle(a), queued(a), returned(a), atMost(effectBy.at(a), options.times.lag)),
          (a) => [
            assign(slot.at(a), deliveries.of.finished),
            ...ends(parts, a, "delivered", "DELIVERY", "late"),
          ],
          {
            actor,
            action: "deliver late",
            detail: "past its deadline: the message is {message[a]'}",
          },
        ),
      ]
    : [];
  return [
    attemptRule(
      parts,
      `deliver ${name}`,
      (a) => and(idle(a), queued(a), returned(a), inTime(a)),
      checking,
      { actor: "queue", action: "deliver", detail: `the message of attempt {a}, ${name} delivery` },
    ),
    ...late,
    ...(place === 1
      ? faultRule(
          parts,
          "redelivery",
          "redeliver",
          (a) =>
            and(
              idle(a),
              started(a),
              inTime(a),
              or(differ(first.at(a), deliveries.of.finished), not(queued(a))),
              differ(message.at(a), messages.of["dead-lettered"]),
            ),
          checking,
          {
            actor: "queue",
            action: "redeliver",
            detail: "the message of attempt {a}, beside its first delivery",
          },
        )
      : []),
  ];
}
