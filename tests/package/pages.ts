/** The documents and the examples in them; a test file tries those of its pages. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { CHECKOUT } from "./packed.ts";

export interface Example {
  page: string;
  language: string;
  code: string;
}

export const readPage = (path: string): string => readFileSync(join(CHECKOUT, path), "utf8");

/** Those with examples. */
export const PAGES = [
  "README.md",
  "CONTRIBUTING.md",
  "SECURITY.md",
  ...readdirSync(join(CHECKOUT, "docs")).map((name) => `docs/${name}`),
].filter((path) => path.endsWith(".md"));

export class Examples {
  readonly #pages: readonly string[];
  readonly #all: readonly Example[];
  readonly #tried = new Set<Example>();

  constructor(pages: readonly string[]) {
    this.#pages = pages;
    this.#all = pages.flatMap((page) =>
      [...readPage(page).matchAll(/^```(\w*)\n([^]*?)^```$/gm)].map(([, language, code]) => ({
        page,
        language: language as string,
        code: code as string,
      })),
    );
  }

  /** The one example of a page that holds `part`. */
  take(page: string, part: string): string {
    const found = this.#all.filter((candidate) => candidate.page === page && candidate.code.includes(part));
    const [only] = found;
    if (!only || found.length > 1) throw new Error(`${found.length} examples of ${page} hold ${part}`);
    this.#tried.add(only);
    return only.code;
  }

  /** Every example in `language`. */
  takeAll(language: string): Example[] {
    const found = this.#all.filter((candidate) => candidate.language === language);
    for (const one of found) this.#tried.add(one);
    return found;
  }

  /** A sentence for each example that was not taken, and for a page with a fence that belongs to none. */
  problems(): string[] {
    const left = this.#all.filter((one) => !this.#tried.has(one));
    const odd = this.#pages.filter((page) => {
      const fences = readPage(page).match(/^```/gm) ?? [];
      return fences.length !== 2 * this.#all.filter((one) => one.page === page).length;
    });
    return [
      ...left.map(({ page, code }) => `${page}: not tried: ${code.slice(0, 60)}`),
      ...odd.map((page) => `${page}: a fence stands alone`),
    ];
  }
}

/** Rows of the table whose head begins with `head`, as cells without code marks. */
export function table(page: string, head: string): string[][] {
  const [, rows] =
    new RegExp(`^\\| ${head.replaceAll("|", "\\|")} .*\\n\\| -.*\\n((?:\\|.*\\n)+)`, "m").exec(
      readPage(page),
    ) ?? [];
  return (rows ?? "")
    .trim()
    .split("\n")
    .map((row) =>
      row
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.replaceAll("`", "").trim()),
    );
}
