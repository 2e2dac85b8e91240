import { afterAll, beforeAll, expect, test } from "vitest";
import { dataOf, Family, subagent } from "./family.ts";

let family: Family;
beforeAll(async () => {
  family = await Family.open();
});
afterAll(async () => {
  await family.close();
});

test("pi -p waits for a background child, and the model is told of its end once", async () => {
  family.answers.set("background work", () => "the answer of the child");
  const played = await family.parent("start something", [
    subagent({ task: "background work", background: true }),
  ]);
  console.log(played.stderr, JSON.stringify(played.ends, null, 1));
  console.log(JSON.stringify(family.server.turns.at(-1)?.messages.slice(-3), null, 1));
  expect(dataOf(played.ends[0])).toMatchObject({ status: "running", report_channel: "pending" });
});
