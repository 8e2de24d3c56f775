import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readStoredResponse, writeStoredResponse } from "./stored-response.ts";

describe("a stored response", () => {
  it("comes back as it was given, body to the byte", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "binary" }),
        fc.integer({ min: 200, max: 299 }),
        (body, status) => {
          const response = { status, headers: { "content-type": "application/json" }, body };
          expect(readStoredResponse(writeStoredResponse(response))).toEqual(response);
        },
      ),
    );
  });

  it("is none where the text is not one, or names a header that is not kept", () => {
    const nones = [
      null,
      "",
      "{",
      "null",
      '{"status":200}',
      '{"status":500,"headers":{},"body":""}',
      '{"status":200,"headers":{"set-cookie":"a"},"body":""}',
    ];
    for (const text of nones) expect(readStoredResponse(text)).toBe(null);
  });
});
