// Claim: once the time of every record is over the key can be reserved again, by any token.
//
// Refutes a store that blocks one tick too long, that extends a record at a refusal or a repeated
// commit, or that depends on an alarm it has lost.
import { isRefusal } from "../operations.ts";
import { isTimeOver } from "../records.ts";
import { callOf, placesOf, shown, violation, type InvariantJudge } from "./ruling.ts";
import { isFirstPossible, servedReserves } from "./served-reserves.ts";

export const noStuckKey: InvariantJudge = {
  invariant: "no-stuck-key",
  needs: [],
  judge(prepared) {
    const { times, history } = prepared;
    const afterAll = servedReserves(
      prepared,
      (key, reserve) =>
        !isFirstPossible(key, reserve) &&
        isTimeOver(key, reserve, times, history.capabilities.ownerTokens),
    );
    return {
      exercised: afterAll.length > 0,
      violations: afterAll
        .filter(({ reserve }) => isRefusal(reserve))
        .map(({ reserve }) =>
          violation(
            "no-stuck-key",
            `${callOf(reserve)} was answered ${reserve.answer.outcome}, although the time of every record that key ` +
              `${shown(reserve.key)} can have had was over.`,
            placesOf(reserve),
          ),
        ),
    };
  },
};
