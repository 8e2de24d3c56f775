import { describe, expect, it } from "vitest";
import { readDownstream } from "./downstream-outcome.ts";

const outcomeOf = (status: number, body: string | null) => readDownstream({ status, body }).outcome;

describe("an answer of the trade service", () => {
  it("is a success only with 2xx and success: true", () => {
    expect(readDownstream({ status: 200, body: '{"success":true}' })).toEqual({
      outcome: "success",
      body: '{"success":true}',
    });
    expect(outcomeOf(500, '{"success":true}')).toBe("failed");
    expect(outcomeOf(302, '{"success":true}')).toBe("failed");
  });

  it("is a soft-fail with success: false, whatever the status", () => {
    for (const status of [200, 202, 400, 409, 500]) {
      expect(outcomeOf(status, '{"success":false}')).toBe("soft-fail");
    }
  });

  it("is unknown with a 2xx that cannot be read", () => {
    for (const body of [
      null,
      "",
      "{",
      "[]",
      '"ok"',
      '{"success":"false"}',
      '{"success":1}',
      "{}",
    ]) {
      expect(outcomeOf(200, body)).toBe("unreadable");
    }
  });

  it("is definite with a 4xx that was not taken up, and unknown with one that may follow an effect", () => {
    for (const status of [400, 403, 404, 422, 429]) expect(outcomeOf(status, "")).toBe("rejected");
    for (const status of [408, 409, 425, 499, 500, 503]) {
      expect(outcomeOf(status, "")).toBe("failed");
    }
  });

  it("tells refused by deadline from refused by fence", () => {
    expect(outcomeOf(410, '{"refused":"deadline"}')).toBe("refused-by-deadline");
    expect(outcomeOf(409, '{"refused":"fence"}')).toBe("refused-by-fence");
    expect(outcomeOf(409, '{"refused":"fence","success":false}')).toBe("refused-by-fence");
    expect(outcomeOf(409, '{"refused":"whim"}')).toBe("failed");
  });

  it("is not connected only where the call says so, and unanswered where it is nonsense", () => {
    expect(readDownstream({ connected: false }).outcome).toBe("not-connected");
    for (const nonsense of [
      null,
      undefined,
      200,
      "ok",
      {},
      { status: 200 },
      { status: 99, body: "" },
    ]) {
      expect(readDownstream(nonsense).outcome).toBe("unanswered");
    }
  });
});
