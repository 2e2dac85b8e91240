/** One settings file as it lies on the disk. Absent, unusable and readable are three things, and nothing throws. */

import { readFileSync, statSync } from "node:fs";
import { cleanText, cutLine } from "./plain-text.ts";

/** A settings file larger than this is somebody else's. */
const MAX_FILE_BYTES = 1_048_576;

/** What a path holds. `problem` says what is wrong, without the path. */
export type SettingsFile =
  | { kind: "absent" }
  | { kind: "unusable"; problem: string; text?: string }
  | { kind: "object"; text: string; value: Record<string, unknown> };

/** Reads the file. Synchronous: one caught half-written by an editor is `unusable`. */
export function readSettingsFile(path: string): SettingsFile {
  let text: string;
  try {
    const stats = statSync(path);
    // Opening a pipe or a device would block pi.
    if (!stats.isFile())
      return unusable(
        `this is ${stats.isDirectory() ? "a directory" : "no regular file"}, not a settings file`,
      );
    if (stats.size > MAX_FILE_BYTES)
      return unusable(`the file has ${stats.size} bytes; settings have at most ${MAX_FILE_BYTES}`);
    text = readFileSync(path, "utf8");
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return code === "ENOENT" ? { kind: "absent" } : unusable(`cannot be read (${code ?? message})`);
  }
  return parseSettings(text);
}

/** The text of a file; a byte order mark in front is none of it. */
export function parseSettings(text: string): SettingsFile {
  const json = text.replace(/^\uFEFF/, "");
  if (json.trim() === "") return unusable("the file is empty; write {} or delete it");
  try {
    const value: unknown = JSON.parse(json);
    if (isObject(value)) return { kind: "object", text, value };
    return unusable(`the file holds ${showValue(value)}; it must hold one JSON object`);
  } catch (error) {
    // The parser quotes what stands there, line ends and control characters with it.
    const reason = cutLine(cleanText((error as Error).message).replace(/\s+/g, " "));
    return { kind: "unusable", problem: `not valid JSON (${reason})`, text };
  }
}

/** A JSON value in at most some 60 characters. */
export function showValue(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? "an empty array" : "an array";
  if (isObject(value)) return "an object";
  const text = cleanText(JSON.stringify(value) ?? String(value));
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const unusable = (problem: string): SettingsFile => ({ kind: "unusable", problem });
