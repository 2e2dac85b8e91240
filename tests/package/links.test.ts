/** Every link in the documents leads somewhere: to a file of the repository, or to a heading. */

import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { expect, test } from "vitest";
import { CHECKOUT } from "./packed.ts";
import { readPage } from "./pages.ts";

const LIST = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
const FILES = execFileSync("git", LIST, { cwd: CHECKOUT, encoding: "utf8" })
  .split("\0")
  .filter((path) => path !== "" && existsSync(join(CHECKOUT, path)));
const FOLDERS = new Set(FILES.flatMap((path) => foldersOf(path)));
const DOCUMENTS = FILES.filter((path) => path.endsWith(".md") && !path.includes("fixtures/"));

test("documents link to files and headings that there are", () => {
  expect(DOCUMENTS).toEqual(expect.arrayContaining(["README.md", "SECURITY.md", "docs/api.md"]));
  const links = DOCUMENTS.flatMap((page) => linksOf(readPage(page)).map((link) => ({ page, link })));
  expect(links.length).toBeGreaterThan(50);
  expect(links.flatMap(({ page, link }) => problemOf(page, link, readPage))).toEqual([]);
});

test("README leads to every page that ships", () => {
  const links = linksOf(readPage("README.md")).map((link) => link.split("#", 1)[0]);
  const pages = FILES.filter((path) => /^docs\/[\w-]+\.md$/.test(path));
  expect(links).toEqual(expect.arrayContaining(pages));
});

test.each([
  ["[a](gone.md)", "docs/any.md: gone.md is no file"],
  ["[a](../README.md#gone)", "docs/any.md: ../README.md#gone is no heading"],
  ["[a](#gone)", "docs/any.md: #gone is no heading"],
  ["![a](pictures/gone.svg)", "docs/any.md: pictures/gone.svg is no file"],
  ["[a](/README.md)", "docs/any.md: /README.md is no relative link"],
])("a link that leads nowhere is noticed: %s", (text, problem) => {
  const page = `# Any\n\n${text}\n`;
  const read = (path: string): string => (path === "docs/any.md" ? page : readPage(path));
  expect(linksOf(page).flatMap((link) => problemOf("docs/any.md", link, read))).toEqual([problem]);
});

test("headings have the anchors that GitHub gives them", () => {
  const page = "# `/ptc`\n## What it costs, and why\n```sh\n# none\n```\n## Again\n## Again\n";
  expect(anchorsOf(page)).toEqual(["ptc", "what-it-costs-and-why", "again", "again-1"]);
});

/** Targets of links and pictures; code is none. */
function linksOf(page: string): string[] {
  const prose = withoutFences(page).replaceAll(/`[^`\n]*`/g, "code");
  return [...prose.matchAll(/\]\(([^()\s]+)\)/g)].map(([, target]) => target as string);
}

function problemOf(page: string, link: string, read: (path: string) => string): string[] {
  if (link.startsWith("https://")) return [];
  if (/^[/\\]|^\w+:/.test(link)) return [`${page}: ${link} is no relative link`];
  const [path = "", anchor] = link.split("#");
  const target = path === "" ? page : normalize(join(dirname(page), path)).replace(/\/$/, "");
  if (path !== "" && !FILES.includes(target) && !FOLDERS.has(target)) return [`${page}: ${link} is no file`];
  if (anchor === undefined || anchorsOf(read(target)).includes(anchor)) return [];
  return [`${page}: ${link} is no heading`];
}

function anchorsOf(page: string): string[] {
  const seen = new Map<string, number>();
  return [...withoutFences(page).matchAll(/^#+ +(.+?) *$/gm)].map(([, heading]) => {
    const anchor = (heading as string)
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, "")
      .replaceAll(" ", "-");
    const count = seen.get(anchor) ?? 0;
    seen.set(anchor, count + 1);
    return count === 0 ? anchor : `${anchor}-${count}`;
  });
}

const withoutFences = (page: string): string => page.replaceAll(/^```[^]*?^```$/gm, "");

function foldersOf(path: string): string[] {
  const folder = dirname(path);
  return folder === "." ? [] : [folder, ...foldersOf(folder)];
}
