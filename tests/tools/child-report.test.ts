/** `ptc_child_report` (spec 2.7): its structured result is the report. */

import { Type } from "typebox";
import { Value } from "typebox/value";
import { describe, expect, test } from "vitest";
import { createChildReportTool } from "../../src/tools/child-report.ts";

const report = { summary: "well", findings: [{ what: "a", evidence: "b" }], files_touched: ["x.ts"] };

describe("the report tool", () => {
  test("hands back what it was given as its structured result", async () => {
    const tool = createChildReportTool(Type);
    const result = await tool.execute("1", report as never, undefined, undefined, {} as never);
    expect(result).toMatchObject({ structuredContent: report, details: { tool: "ptc_child_report" } });
    expect(result).not.toHaveProperty("isError");
  });

  test.each([
    [report, true],
    [{ ...report, more: 1 }, true],
    [{ ...report, findings: [] }, true],
    [{ summary: "well", findings: [] }, false],
    [{ ...report, findings: ["a"] }, false],
    [{ ...report, summary: 5 }, false],
  ])("takes %j: %s", (payload, fits) => {
    expect(Value.Check(createChildReportTool(Type).parameters, payload)).toBe(fits);
  });
});
