import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { getPackageDir } from "@earendil-works/pi-coding-agent";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { PI_CLI } from "../../scripts/sandbox-home.ts";
import { type HostProcess, isPiProcess, piCommand } from "../../src/children/pi-command.ts";

let dir: string;
beforeEach(() => void (dir = realpathSync(mkdtempSync(join(tmpdir(), "ptc pi ü ")))));
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const SHOW_ARGS = "console.log(JSON.stringify(process.argv.slice(2)));";
const put = (path: string, text = ""): string => {
  mkdirSync(dirname(join(dir, path)), { recursive: true });
  writeFileSync(join(dir, path), text);
  return join(dir, path);
};
/** A package laid out like pi's. */
const installPi = (folder: string, manifest: object = {}): string => {
  const bin = { pi: "dist/bundle/cli.js" };
  const whole = { name: "@earendil-works/pi-coding-agent", bin, type: "module", ...manifest };
  put(`${folder}/package.json`, JSON.stringify(whole));
  for (const script of [
    "dist/cli.js",
    "dist/rpc-entry.js",
    "dist/bundle/cli.js",
    "dist/bundle/rpc-entry.js",
    "examples/sdk/host.ts",
  ])
    put(`${folder}/${script}`, SHOW_ARGS);
  return join(dir, folder);
};
const host = (entry: string | undefined, more: Partial<HostProcess> = {}): HostProcess => ({
  execPath: process.execPath,
  entry,
  cwd: dir,
  variable: undefined,
  setting: undefined,
  packageDir: undefined,
  ...more,
});
const refusalOf = (facts: HostProcess): string => {
  const command = piCommand(facts);
  if (command.ok) throw new Error(JSON.stringify(command));
  return command.refusal;
};

describe("inside pi, a child runs on the very pi that runs us", () => {
  test("when that is the installed one", () => {
    expect(piCommand(host(PI_CLI))).toEqual({
      ok: true,
      command: process.execPath,
      args: [realpathSync(PI_CLI)],
    });
    expect(isPiProcess(host(PI_CLI))).toBe(true);
  });

  test.each(["dist/bundle/cli.js", "dist/cli.js"])(
    "when it was started as %s, and also by a relative path",
    (script) => {
      const pi = installPi("lib/pi");
      const wanted = { ok: true, command: process.execPath, args: [join(pi, script)] };
      expect(piCommand(host(join(pi, script)))).toEqual(wanted);
      expect(piCommand(host(`lib/pi/${script}`))).toEqual(wanted);
    },
  );

  test("when it was started through a link, such as npm puts into a bin folder", () => {
    const pi = installPi("lib/node_modules/@earendil-works/pi-coding-agent");
    mkdirSync(join(dir, "bin"));
    symlinkSync(join(pi, "dist/bundle/cli.js"), join(dir, "bin/pi"));
    expect(piCommand(host(join(dir, "bin/pi")))).toMatchObject({ args: [join(pi, "dist/bundle/cli.js")] });
  });

  test.each(["dist/bundle/rpc-entry.js", "dist/rpc-entry.js"])(
    "when it was started as %s, by its command line script",
    (script) => {
      const pi = installPi("pi");
      expect(piCommand(host(join(pi, script)))).toMatchObject({ args: [join(pi, "dist/bundle/cli.js")] });
      expect(isPiProcess(host(join(pi, script)))).toBe(true);
    },
  );

  test("when its build left a copy of the package file in dist", () => {
    const pi = installPi("pi");
    put("pi/dist/package.json", '{"name": "@earendil-works/pi-coding-agent"}');
    expect(piCommand(host(join(pi, "dist/rpc-entry.js")))).toMatchObject({
      args: [join(pi, "dist/bundle/cli.js")],
    });
  });

  test("when it carries another name", () => {
    const pi = installPi("tau", { name: "@acme/tau", piConfig: { name: "tau", configDir: ".tau" } });
    expect(isPiProcess(host(join(pi, "dist/cli.js")))).toBe(true);
  });

  test("when it is a compiled binary with pi's package file beside it", () => {
    const binary = put("compiled/pi");
    put("compiled/package.json", '{"name": "@earendil-works/pi-coding-agent"}');
    for (const entry of ["/$bunfs/root/pi", "B:\\~BUN\\root\\pi", undefined])
      expect(piCommand(host(entry, { execPath: binary }))).toEqual({ ok: true, command: binary, args: [] });
  });

  test("and starts where the path has blanks and letters beyond ASCII", () => {
    const pi = installPi("my pi ü/x");
    const command = piCommand(host(join(pi, "dist/bundle/cli.js")));
    if (!command.ok) throw new Error(command.refusal);
    const args = ["--name", "a b", "ü"];
    expect(
      JSON.parse(execFileSync(command.command, [...command.args, ...args], { encoding: "utf8" })),
    ).toEqual(args);
  });
});

describe("in a host that is not pi, a child runs on the installed pi", () => {
  test("that pi's own package folder names", () => {
    const pi = installPi("somewhere");
    const facts = host(put("app/host.mjs"), { packageDir: pi });
    expect(piCommand(facts)).toEqual({
      ok: true,
      command: process.execPath,
      args: [join(pi, "dist/bundle/cli.js")],
    });
    expect(isPiProcess(facts)).toBe(false);
  });

  test("as pi itself names it in this process", () => {
    expect(piCommand(host(put("app/host.mjs"), { packageDir: getPackageDir() }))).toMatchObject({
      args: [realpathSync(PI_CLI)],
    });
  });

  test("that lies in a node_modules at or above its script", () => {
    const pi = installPi("app/node_modules/@earendil-works/pi-coding-agent");
    expect(piCommand(host(put("app/src/deep/host.mjs"), { packageDir: join(dir, "gone") }))).toMatchObject({
      args: [join(pi, "dist/bundle/cli.js")],
    });
  });

  test("even when the script lies in pi's package, as its examples do", () => {
    const pi = installPi("pi");
    const facts = host(join(pi, "examples/sdk/host.ts"), { packageDir: pi });
    expect(isPiProcess(facts)).toBe(false);
    expect(piCommand(facts)).toMatchObject({ args: [join(pi, "dist/bundle/cli.js")] });
  });

  test("or is refused with what was tried and what to do", () => {
    const script = put("app/cli.js");
    put("app/package.json", '{"name": "my-app"}');
    put("not-pi/package.json", '{"name": "other", "piConfig": null}');
    const refusal = refusalOf(host(script, { packageDir: join(dir, "not-pi") }));
    expect(refusal).toContain(`this process is not pi's command line (it runs ${script})`);
    expect(refusal).toContain(join(dir, "not-pi"));
    expect(refusal).toContain(join(dir, "app/node_modules/@earendil-works/pi-coding-agent"));
    expect(refusal).toContain("PI_PTC_COMMAND or in the setting command of ptc.json");
  });

  test.each(["{", "[]", "null", '{"name": "@earendil-works/pi-coding-agent"}'])(
    "whose package file holds %j is not taken for one",
    (manifest) => {
      put("pi/package.json", manifest);
      expect(refusalOf(host(put("host.mjs"), { packageDir: join(dir, "pi") }))).toContain(join(dir, "pi"));
    },
  );

  test("and never on the host itself, which would start again and again", () => {
    const pi = installPi("pi");
    const binary = put("app/my-app");
    expect(refusalOf(host("/$bunfs/root/my-app", { execPath: binary, packageDir: pi }))).toContain(
      `${binary} is neither pi nor a Node`,
    );
  });

  test.each([undefined, "/gone/host.js", ""])(
    "whose script is %j gets a sentence, never a throw",
    (entry) => {
      expect(refusalOf(host(entry))).toContain("no pi was found");
      expect(isPiProcess(host(entry))).toBe(false);
    },
  );
});

describe("a command that the user names", () => {
  const executable = (path: string): string => {
    const script = put(path, `#!${process.execPath}\n${SHOW_ARGS}\n`);
    chmodSync(script, 0o755);
    return script;
  };

  test("goes before the pi that runs us, and the variable before the setting", () => {
    const [first, second] = [executable("my bin ü/pi a"), executable("my bin ü/pi b")];
    expect(piCommand(host(PI_CLI, { setting: second }))).toEqual({ ok: true, command: second, args: [] });
    const command = piCommand(host(PI_CLI, { variable: first, setting: second }));
    expect(command).toEqual({ ok: true, command: first, args: [] });
    expect(JSON.parse(execFileSync(first, ["--tools", "a b"], { encoding: "utf8" }))).toEqual([
      "--tools",
      "a b",
    ]);
  });

  test("that is blank is none", () => {
    expect(piCommand(host(PI_CLI, { variable: " ", setting: "" }))).toMatchObject({
      command: process.execPath,
    });
  });

  test.each([
    ["pi", "is no absolute path"],
    ["./pi", "is no absolute path"],
    ["/gone/pi", "does not exist"],
    ["/bin/sh -c pi", "does not exist"],
    ["/tmp", "is no file"],
  ])("as %j is refused: it %s", (path, sentence) => {
    const refusal = refusalOf(host(PI_CLI, { variable: path }));
    expect(refusal).toContain(`the variable PI_PTC_COMMAND is ${JSON.stringify(path)}, which ${sentence}`);
    expect(refusal).toContain("the absolute path of an executable that takes pi's arguments");
    expect(refusalOf(host(PI_CLI, { setting: path }))).toContain("the setting command is");
  });

  test("that may not be executed is refused, and nothing else runs in its place", () => {
    expect(refusalOf(host(PI_CLI, { setting: put("plain") }))).toContain("cannot be executed (EACCES)");
  });
});
