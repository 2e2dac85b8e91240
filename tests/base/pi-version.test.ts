import { describe, expect, test } from "vitest";
import { piVersionProblem } from "../../src/base/pi-version.ts";

describe("a pi", () => {
  test.each(["1.3.0", "1.3.1", "1.6.0", "1.10.0", "2.0.0", "v1.6.0", "1.6.0-next.1"])(
    "%s is new enough",
    (version) => {
      expect(piVersionProblem(version)).toBeUndefined();
    },
  );

  test.each(["1.2.9", "0.99.1", "0.87.1"])(
    "%s is too old, and the sentence says both versions and the way out",
    (version) => {
      expect(piVersionProblem(version)).toBe(
        `pi-ptc-subagents needs pi 1.3.0 or newer and this is pi ${version}, so its tools are missing: update with \`npm install -g @earendil-works/pi-coding-agent\`.`,
      );
    },
  );

  test.each([undefined, null, "", "next", 16, {}])("of version %j counts as too old", (version) => {
    expect(piVersionProblem(version)).toContain("a pi of unknown version");
  });
});
