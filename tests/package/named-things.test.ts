/** What the pages name in code marks exists: commands, flags, settings, words of `/ptc`, names in the code. */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "@earendil-works/pi-coding-agent";
import { Type } from "typebox";
import { Check } from "typebox/value";
import { expect, test } from "vitest";
import { settingsSchema } from "../../src/base/settings.ts";
import { parsePtc } from "../../src/surface/ptc-command.ts";
import { CHECKOUT } from "./packed.ts";
import { Examples, PAGES, readPage, table } from "./pages.ts";

const read = (path: string): string => readFileSync(join(CHECKOUT, path), "utf8");
const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };
/** pnpm's own commands. */
const OF_PNPM = ["install", "exec"];
/** pi's commands that are no options. */
const OF_PI = ["install", "remove", "list"];
/** Names of Node, and one that only shows how a name may look. */
const OF_OTHERS = ["execSync", "odd_name"];

/** Text of code marks, and lines of shell examples. */
const MARKED = PAGES.flatMap((page) => {
  const lines = new Examples([page]).takeAll("sh").flatMap(({ code }) => code.trim().split("\n"));
  const prose = readPage(page).replaceAll(/^```[^]*?^```$/gm, "");
  const marks = [...prose.matchAll(/`([^`\n]+)`/g)].map(([, mark]) => mark as string);
  return [...lines, ...marks].map((text) => ({ page, text }));
});
const marked = (pattern: RegExp) => MARKED.filter(({ text }) => pattern.test(text));

test("commands of the package are scripts that there are, with arguments they take", () => {
  const commands = marked(/^(?:npx pnpm@12|node) /);
  expect(commands.length).toBeGreaterThan(15);
  const problems = commands.flatMap(({ page, text }) => {
    const words = text.replace(/^npx pnpm@12 /, "").split(" ");
    if (words[0] === "exec") words.shift();
    const [name = "", ...args] = words;
    const script = name === "node" ? args.shift() : /scripts\/[\w-]+\.ts/.exec(scripts[name] ?? "")?.[0];
    const isKnown =
      OF_PNPM.includes(name) || name === "fmt" || (script && existsSync(join(CHECKOUT, script)));
    if (!isKnown) return [`${page}: ${text}`];
    const takes = (arg: string): boolean =>
      arg.includes("/") ? existsSync(join(CHECKOUT, arg)) : Boolean(script && read(script).includes(arg));
    return args.filter((arg) => !takes(arg)).map((arg) => `${page}: ${text}: ${arg}`);
  });
  expect(problems).toEqual([]);
});

test("every command of the package is explained to who changes it, and each part that can be measured", () => {
  const page = readPage("CONTRIBUTING.md");
  const explained = table("CONTRIBUTING.md", "command").map(([command]) => command?.split(" ").at(-1));
  expect(explained.toSorted()).toEqual(
    Object.keys(scripts)
      .filter((name) => name !== "prepare")
      .toSorted(),
  );
  const [, areas = ""] = /const AREAS[^{]*\{([^}]*)\}/.exec(read("scripts/bench.ts")) ?? [];
  const names = [...areas.matchAll(/^ +(\w+):/gm)].map(([, name]) => `\`${name}\``);
  expect(names.length).toBeGreaterThan(5);
  for (const name of names) expect(page).toContain(name);
});

test("options of pi are options of pi", () => {
  const starts = marked(/^(?:pi )?-{1,2}[a-z]|^pi [a-z]/).filter(({ text }) => !text.startsWith("--tui"));
  expect(starts.length).toBeGreaterThan(8);
  for (const { page, text } of starts) {
    const [first = "", ...rest] = text.replace(/^pi /, "").split(" ");
    if (OF_PI.includes(first)) continue;
    // An option that is named alone has no value.
    const args = rest.length > 0 || first === "-p" ? [first, ...rest] : [first, "value"];
    const { unknownFlags, diagnostics } = parseArgs(args);
    expect({ page, text, unknown: [...unknownFlags.keys()], diagnostics }).toMatchObject({
      unknown: [],
      diagnostics: [],
    });
  }
});

test("files that are named are there", () => {
  const paths = marked(/^(?:src|tests|scripts|docs|adr|\.ci)\/[\w./-]+$/);
  expect(paths.length).toBeGreaterThan(5);
  expect(paths.filter(({ text }) => !existsSync(join(CHECKOUT, text)))).toEqual([]);
});

test("words of /ptc are understood", () => {
  const commands = marked(/^\/ptc\b/);
  expect(commands.length).toBeGreaterThan(8);
  for (const { text } of commands) expect(parsePtc(text.slice("/ptc".length)).kind, text).not.toBe("wrong");
});

test("settings in a line of text are accepted", () => {
  const settings = marked(/^\{? ?"\w+": /);
  expect(settings.length).toBeGreaterThan(5);
  for (const { page, text } of settings) {
    const json: unknown = JSON.parse(text.startsWith("{") ? text : `{${text}}`);
    expect({ page, text, accepted: Check(settingsSchema(Type), json) }).toMatchObject({ accepted: true });
  }
});

test("names that are written as in code stand in the code", () => {
  const sources = ["src", "docs/examples", "tests/program"].flatMap((folder) =>
    readdirSync(join(CHECKOUT, folder), { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".ts"))
      .map((path) => read(join(folder, path))),
  );
  const known = new Set([...OF_OTHERS, ...sources.flatMap((text) => text.match(/[\w$]+/g) ?? [])]);
  const isWritten = (name: string): boolean => /[a-z][A-Z]|_|^ptc/.test(name) && !name.includes("__");
  const names = MARKED.flatMap(({ page, text }) =>
    /[/ ]/.test(text) && !/^\w+\(/.test(text)
      ? []
      : (text.match(/[A-Za-z]\w+/g) ?? []).map((name) => ({ page, name })),
  ).filter(({ name }) => isWritten(name));
  expect(names.length).toBeGreaterThan(100);
  expect(names.filter(({ name }) => !known.has(name))).toEqual([]);
});

test("no shell example is left out", () => {
  const pages = ["CONTRIBUTING.md", "SECURITY.md"];
  const examples = new Examples(pages);
  expect(examples.takeAll("sh").length).toBeGreaterThan(0);
  expect(examples.problems()).toEqual([]);
});
