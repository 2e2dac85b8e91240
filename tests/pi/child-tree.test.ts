/** A whole tree of real pis in which each starts as many children as it can (spec 2.6). */

import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { dataOf, Family } from "./family.ts";
import { program } from "./real-pi.ts";

const TREE_SLOTS = 6;
const CONCURRENCY = 3;

/** One pi, as it describes itself. */
interface Node {
  /** Its depth, and how many children may run below it. */
  place: string;
  children: Node[];
  /** The limit that each refused call reached. */
  refusals: string[];
}

let family: Family;
beforeAll(async () => {
  family = await Family.open();
});
afterEach(() => family.expectNothingLeft());
afterAll(() => family.close());

const GROW = `const { content } = await tools.bash({ command: 'echo "$PI_PTC_DEPTH:$PI_PTC_TREE_SLOTS"' });
  const all = await Promise.all(Array.from({ length: ${CONCURRENCY + 1} }, () => tools["pi.dispatch"]({ task: "grow the tree" })));
  const children = all.filter((result) => result.started).map((result) => JSON.parse(result.text));
  const refusals = all.filter((result) => !result.started).map((result) => /^dispatch (\\w+) limit reached/.exec(result.errorMessage)?.[1]);
  return JSON.stringify({ place: content[0].text.trim(), children, refusals })`;

const nodesBelow = ({ children }: Node): Node[] => children.flatMap((child) => [child, ...nodesBelow(child)]);

test("has at most as many below its root as the root may have, and each is told its share", async () => {
  let [started, most] = [0, 0];
  family.home.settings({ limits: { dispatchConcurrency: CONCURRENCY } });
  family.answers.set("grow the tree", ({ results }) => {
    most = Math.max(most, family.running.length);
    const [grown] = results;
    if (grown === undefined) started += 1;
    return grown ? (grown.split("\n", 1)[0] ?? "") : { calls: [["ptc_run_code", program(GROW).args]] };
  });
  const { ends } = await family.parent("P-tree", [program(GROW)], {
    env: { PI_PTC_TREE_SLOTS: String(TREE_SLOTS) },
  });
  const root = JSON.parse(String(dataOf(ends[0])["value"])) as Node;
  expect(root.place).toBe(`:${TREE_SLOTS}`);
  // floor((6-0-3)/2), floor((6-2-2)/2), floor((6-4-1)/2), and one that has no slot.
  expect(root.children.map(({ place }) => place).toSorted()).toEqual(["1:0", "1:1", "1:1"]);
  expect(root.refusals).toEqual(["concurrency"]);
  const below = nodesBelow(root);
  expect([below.length, started]).toEqual([5, 5]);
  expect(most).toBeGreaterThanOrEqual(3);
  expect(most).toBeLessThanOrEqual(TREE_SLOTS);
  for (const node of below) {
    const share = Number(node.place.split(":")[1]);
    expect(nodesBelow(node).length).toBeLessThanOrEqual(share);
    expect(node.refusals).toEqual(Array.from({ length: CONCURRENCY + 1 - share }, () => "tree"));
  }
}, 60_000);
