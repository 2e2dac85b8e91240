/** Changes one key of a JSON object in its text; every other character stays as somebody wrote it. */

/** Where one member of the outermost object stands: from the quote of its key to the end of its value. */
interface Member {
  key: string;
  start: number;
  valueStart: number;
  end: number;
}

/**
 * `text`, a valid JSON object, with `key` set to `value`, or without it when `value` is undefined. A new key goes to the
 * end, indented like its neighbours. The text itself when there is nothing to change.
 */
export function withJsonKey(text: string, key: string, value: string | undefined): string {
  const members = membersOf(text);
  // JSON.parse takes the last of several.
  const found = members.findLastIndex((member) => member.key === key);
  const member = members[found];
  if (value === undefined) return member ? withoutMember(text, members, found) : text;
  const json = JSON.stringify(value);
  if (!member) return withMember(text, members, `${JSON.stringify(key)}: ${json}`);
  if (JSON.parse(text.slice(member.valueStart, member.end)) === value) return text;
  return text.slice(0, member.valueStart) + json + text.slice(member.end);
}

/** Every member of that name goes: an earlier one would count when the last is gone. */
function withoutMember(text: string, members: readonly Member[], index: number): string {
  const { key, start, end } = members[index] as Member;
  if (members.length === 1) return text.slice(0, text.indexOf("{") + 1) + text.slice(text.lastIndexOf("}"));
  const previous = members[index - 1];
  const next = members[index + 1];
  // The last member takes the comma before it along, any other the one after it.
  const rest = next
    ? text.slice(0, start) + text.slice(next.start)
    : text.slice(0, previous?.end ?? start) + text.slice(end);
  return withJsonKey(rest, key, undefined);
}

function withMember(text: string, members: readonly Member[], member: string): string {
  const last = members.at(-1);
  if (last) return `${text.slice(0, last.end)},${gapBefore(text, last)}${member}${text.slice(last.end)}`;
  const open = text.indexOf("{");
  const close = text.lastIndexOf("}");
  const newline = text.includes("\r\n") ? "\r\n" : "\n";
  return `${text.slice(0, open + 1)}${newline}  ${member}${newline}${text.slice(close)}`;
}

/** The blanks in front of a member. */
function gapBefore(text: string, { start }: Member): string {
  return /\s*$/.exec(text.slice(0, start))?.[0] || " ";
}

/** Members of the outermost object, in order. */
function membersOf(text: string): Member[] {
  const members: Member[] = [];
  let at = skipBlanks(text, text.indexOf("{") + 1);
  while (text[at] === '"') {
    const start = at;
    const keyEnd = skipString(text, at);
    const valueStart = skipBlanks(text, skipBlanks(text, keyEnd) + 1);
    const end = skipValue(text, valueStart);
    members.push({ key: JSON.parse(text.slice(start, keyEnd)) as string, start, valueStart, end });
    at = skipBlanks(text, end);
    if (text[at] === ",") at = skipBlanks(text, at + 1);
  }
  return members;
}

function skipBlanks(text: string, from: number): number {
  let at = from;
  while (/\s/.test(text[at] ?? "")) at += 1;
  return at;
}

/** Index behind the string that begins at `from`. */
function skipString(text: string, from: number): number {
  let at = from + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
  return at + 1;
}

function skipValue(text: string, from: number): number {
  let depth = 0;
  let at = from;
  while (at < text.length) {
    const char = text[at] as string;
    if (char === '"') {
      at = skipString(text, at);
      if (depth === 0) return at;
      continue;
    }
    if (depth === 0 && /[\s,}\]]/.test(char)) return at;
    if (char === "{" || char === "[") depth += 1;
    if (char === "}" || char === "]") {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
    at += 1;
  }
  return at;
}
