import { describe, expect, it } from "vitest";
import { traceOf } from "./operator-log.ts";

describe("the trace of an error", () => {
  it("says its name and its place, and nothing of its message", () => {
    const trace = traceOf(new TypeError("a secret\n    at a secret (secret)"));
    expect(trace).toMatch(/^TypeError at .*operator-log\.test\.ts/);
    expect(trace).not.toContain("secret");
  });

  it("says nothing of a value that is no error, of a strange name, or of a stack that was made up", () => {
    expect(traceOf("a secret")).toBe("a thrown value of type string");
    const named = Object.assign(new Error("a secret"), { name: "a secret", stack: "a secret" });
    expect(traceOf(named)).toBe("an error");
  });
});
