/** Which of eight screenshots are blank? Two are; the model looks at those it cannot judge otherwise. */

import { crc32, deflateSync } from "node:zlib";
import { bash, type Job, randomNumbers, read, run, script } from "./job.ts";

const BLANK = [2, 5];
const WIDTH = 320;
const HEIGHT = 200;

const files = Object.fromEntries(
  Array.from({ length: 8 }, (_, index) => [`shots/page-${index}.png`, png(index, BLANK.includes(index))]),
);
const blankPaths = BLANK.map((index) => `page-${index}.png`);

/** Grey noise, or white. */
function png(seed: number, isBlank: boolean): Buffer {
  const random = randomNumbers(seed + 1);
  const rows = Array.from({ length: HEIGHT }, () =>
    Buffer.from([0, ...Array.from({ length: WIDTH }, () => (isBlank ? 255 : Math.floor(random() * 256)))]),
  );
  const header = Buffer.alloc(13);
  header.writeUInt32BE(WIDTH, 0);
  header.writeUInt32BE(HEIGHT, 4);
  header[8] = 8;
  const chunks = [
    ["IHDR", header],
    ["IDAT", deflateSync(Buffer.concat(rows))],
    ["IEND", Buffer.alloc(0)],
  ] as const;
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    ...chunks.map(([name, data]) => chunk(name, data)),
  ]);
}

function chunk(name: string, data: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const body = Buffer.concat([Buffer.from(name, "latin1"), data]);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

export const images: Job = {
  name: "image check",
  files,
  task: "Which screenshots in shots/ are blank?",
  ways: {
    programs: [
      run(`const { readdir, stat } = await import("node:fs/promises");
const small = [];
for (const name of await readdir("shots")) if ((await stat("shots/" + name)).size < 2000) small.push("shots/" + name);
await Promise.all(small.map((path) => tools.read({ path })));
return small;`),
    ],
    codemode: [
      script(`const { output } = await tools.bash({ command: "find shots -size -2 | sort" });
const small = output.trim().split("\\n");
for (const path of small) image(await tools.read({ path }));
return small;`),
    ],
    direct: [[bash("ls shots")], Object.keys(files).map((path) => read(path))],
  },
  facts: blankPaths,
};
