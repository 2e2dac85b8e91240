import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createSandboxHome, type SandboxHome } from "../../scripts/sandbox-home.ts";
import { CHECKOUT, installTarball, pack } from "./packed.ts";
import { runPi } from "./pi-process.ts";

const FIXTURES = join(import.meta.dirname, "../fixtures");
/** Files of pi's own bundle, and of the transpiler it loads beside it. */
const PI_ITSELF = /\/pi-coding-agent\/dist\/bundle\/|\/node_modules\/jiti\//;

let home: SandboxHome;
beforeEach(() => {
  home = createSandboxHome({ caches: "fresh" });
});
afterEach(() => home.remove());

/** What one start of pi loaded. */
interface Start {
  /** What the probe found shared, by sentence. */
  shared: Record<string, boolean>;
  /** Files Node loaded that are not pi's, in order. */
  loaded: string[];
  /** Names of the files pi transpiled, without the digest. */
  transpiled: string[];
}

/** Starts pi for one prompt with `args`, the scripted model and the probe. */
async function startPi(args: readonly string[]): Promise<Start> {
  const identity = join(home.root, "identity.json");
  const log = join(home.root, "modules.log");
  const extensions = ["faux-model.ts", "identity-probe.ts"].flatMap((name) => ["-e", join(FIXTURES, name)]);
  const end = await runPi(
    home,
    [...args, ...extensions, "--model", "faux/faux-1", "--no-session", "-p", "hello"],
    {
      PTC_IDENTITY: identity,
      PTC_MODULE_LOG: log,
    },
  );
  expect(end).toMatchObject({ code: 0, stdout: expect.stringContaining("echo:") as string });
  const urls = (await readFile(log, "utf8")).trim().split("\n");
  const cached = await readdir(join(home.env["TMPDIR"] as string, "jiti"));
  return {
    shared: JSON.parse(await readFile(identity, "utf8")) as Record<string, boolean>,
    loaded: urls.filter((url) => !PI_ITSELF.test(url)),
    transpiled: cached.map((name) => name.replace(/\.[0-9a-f]+\.\w+$/, "")).toSorted(),
  };
}

/** Every import was answered by pi, Node loaded only built files of `folder`, and nothing but the entry was transpiled. */
function expectOneCopy(start: Start, folder: string): void {
  expect(Object.entries(start.shared)).toHaveLength(5);
  expect(Object.entries(start.shared).filter(([, same]) => !same)).toEqual([]);
  const built = pathToFileURL(`${join(folder, "dist")}/`).href;
  expect(start.loaded).toContain(`${built}extension.js`);
  expect(start.loaded.filter((url) => !url.startsWith(built))).toEqual([]);
  expect(start.transpiled).toEqual(["fixtures-faux-model", "fixtures-identity-probe", "src-extension"]);
}

test("installed from a checkout with its devDependencies, it shares pi's own classes", async () => {
  expect(await readdir(join(CHECKOUT, "node_modules"))).toContain("typebox");
  expect(await runPi(home, ["install", CHECKOUT])).toMatchObject({ code: 0 });
  expectOneCopy(await startPi([]), CHECKOUT);
});

test("installed from the tarball, it shares pi's own classes", async () => {
  const { tarball } = await pack(home);
  const folder = await installTarball(home, tarball);
  expect(await runPi(home, ["install", folder])).toMatchObject({ code: 0 });
  expectOneCopy(await startPi([]), folder);
});

test.each(["", "src/extension.ts"])(
  "loaded by `-e <checkout>/%s`, it shares pi's own classes",
  async (path) => {
    expectOneCopy(await startPi(["-e", join(CHECKOUT, path)]), CHECKOUT);
  },
);

test("a package that does load second copies would be noticed", async () => {
  const folder = join(CHECKOUT, ".tmp", `second-copy-${process.pid}`);
  await mkdir(folder, { recursive: true });
  try {
    await writeFile(
      join(folder, "package.json"),
      '{ "type": "module", "pi": { "extensions": ["./entry.js"] } }',
    );
    await writeFile(
      join(folder, "entry.js"),
      'import { Type } from "typebox";\nexport default () => void Type.String();\n',
    );
    const { loaded } = await startPi(["-e", CHECKOUT, "-e", folder]);
    expect(loaded).toContainEqual(expect.stringContaining("/node_modules/typebox/"));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

/** Starts pi for one prompt with a copy of the package's entry in `folder`, and gives what stderr says. */
async function startWithEntry(folder: string): Promise<string> {
  await mkdir(join(folder, "src"), { recursive: true });
  await writeFile(join(folder, "package.json"), await readFile(join(CHECKOUT, "package.json")));
  await writeFile(join(folder, "src/extension.ts"), await readFile(join(CHECKOUT, "src/extension.ts")));
  const extensions = [folder, join(FIXTURES, "faux-model.ts")].flatMap((path) => ["-e", path]);
  const args = [...extensions, "--model", "faux/faux-1", "--no-session", "-p", "hello"];
  const { code, stdout, stderr } = await runPi(home, args);
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining("echo:") as string });
  return stderr.trim();
}

test("an unbuilt checkout says so in one sentence and leaves pi working", async () => {
  const folder = join(home.root, "unbuilt");
  const sentence = "pi-ptc-subagents is not built, so its tools are missing: run `npx pnpm@12 build` in";
  expect(await startWithEntry(folder)).toBe(`${sentence} ${folder}/`);
});

test.each([
  ["lacks a file", 'import "./missing.js";\nexport const activate = () => undefined;\n', "missing.js"],
  ["is of another version", "export const activates = 1;\n", "activate is not a function"],
])("a build that %s says so in one sentence and leaves pi working", async (_name, text, cause) => {
  const folder = join(home.root, "broken");
  await mkdir(join(folder, "dist"), { recursive: true });
  await writeFile(join(folder, "dist/extension.js"), text);
  const said = await startWithEntry(folder);
  expect(said).toMatch(
    /^pi-ptc-subagents could not be loaded, so its tools are missing: .+; run `npx pnpm@12 build` in .+\/$/,
  );
  expect(said).toContain(cause);
});
