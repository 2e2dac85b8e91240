/**
 * A real pi on a pseudo-terminal: keys go in, cells are looked at. Traps:
 * - Wait for what a key does before the next one. `open` has waited until pi takes input; earlier it refuses an Enter.
 * - A key right after Escape would be Alt with that key, as pi tells them apart by a pause; so it throws.
 * - Rows are looked at between frames only; a spinner makes frames all the time, so name what you wait for.
 * - A menu opens while `/word` is typed; Enter then takes its choice and sends it.
 * - The screen answers what it is, and leaves queries for kitty's keyboard and for colours without an answer, as some
 *   terminals do. pi's theme is then the 16 colours of the palette: error 1, success 2, warning 3, else dim or default.
 * - pi draws on the alternate screen: its transcript scrolls inside, and reaches rows and scrollback when it has ended.
 * - `kill` reaches pi and a shell around it, not workers. `close` ends all; look for what pi left before.
 */

import { constants } from "node:os";
import { type IPty, spawn } from "@lydell/node-pty";
import { PI_CLI, type SandboxHome } from "../../scripts/sandbox-home.ts";
import { signalTree } from "../../src/base/process-tree.ts";
import { type ScreenSize, TerminalScreen } from "./terminal-screen.ts";

const DEFAULT_SIZE: ScreenSize = { columns: 80, rows: 30 };
const MAX_WAIT_MS = 20_000;

const KEYS = {
  enter: "\r",
  escape: "\x1b",
  tab: "\t",
  "shift+tab": "\x1b[Z",
  "alt+enter": "\x1b\r",
  backspace: "\x7f",
  delete: "\x1b[3~",
  up: "\x1b[A",
  down: "\x1b[B",
  right: "\x1b[C",
  left: "\x1b[D",
  home: "\x1b[H",
  end: "\x1b[F",
  pageUp: "\x1b[5~",
  pageDown: "\x1b[6~",
} as const;

/** A key by pi's name of it, such as `enter` or `ctrl+o`. Letters are typed. */
export type Key = keyof typeof KEYS | `ctrl+${string}`;

/** What is waited for: a text of the screen, or a condition; one that throws does not hold yet. */
export type Shown = RegExp | ((screen: TerminalScreen) => boolean);

/** How pi is started. */
export interface TerminalStart {
  args: string[];
  env?: NodeJS.ProcessEnv;
  /** 80 columns and 30 rows by default. */
  size?: ScreenSize;
  /** A command that starts pi, such as a shell; pi's words follow its own. */
  wrap?: string[];
}

/** Looks at the screen when pi has drawn; true when it is done waiting. */
type Waiter = () => boolean;

export class TerminalPi {
  readonly screen: TerminalScreen;
  /** Exit code, or the name of the signal, when all that pi wrote is on the screen. */
  readonly ended: Promise<number | string>;
  readonly #pty: IPty;
  readonly #waiters = new Set<Waiter>();
  #end: number | string | undefined;
  #isAfterEscape = false;

  /** Starts pi. Prefer `open`, unless pi asks something before it takes input. */
  constructor(home: SandboxHome, { args, env = {}, size = DEFAULT_SIZE, wrap = [] }: TerminalStart) {
    const [command, ...words] = [...wrap, process.execPath, PI_CLI, ...args] as [string, ...string[]];
    this.#pty = spawn(command, words, {
      cols: size.columns,
      rows: size.rows,
      cwd: home.cwd,
      env: terminalEnvironment({ ...home.env, ...env }),
    });
    this.screen = new TerminalScreen(size, (data) => this.#pty.write(data));
    this.#pty.onData((data) =>
      this.screen.write(data, () => {
        this.#isAfterEscape = false;
        this.#look();
      }),
    );
    this.ended = new Promise((resolve) => {
      this.#pty.onExit(({ exitCode, signal }) =>
        this.screen.write("", () => {
          this.#end = signal ? nameOfSignal(signal) : exitCode;
          this.#look();
          resolve(this.#end);
        }),
      );
    });
  }

  /** Starts pi, and waits until it takes input. */
  static async open(home: SandboxHome, start: TerminalStart): Promise<TerminalPi> {
    const opened = new TerminalPi(home, start);
    try {
      await opened.ready();
      return opened;
    } catch (error) {
      await opened.close();
      throw error;
    }
  }

  /** Waits until pi takes input: only then it names its window. */
  ready(): Promise<void> {
    return this.waitFor((screen) => screen.title !== "");
  }

  /** Presses keys, each for itself. */
  press(...keys: Key[]): void {
    for (const key of keys) {
      this.#send(key.startsWith("ctrl+") ? controlCode(key.slice(5)) : KEYS[key as keyof typeof KEYS]);
      this.#isAfterEscape = key === "escape";
    }
  }

  /** Types text, character by character; a paste would come as one. */
  type(text: string): void {
    this.#send(text);
  }

  /** Types a line that fits into a row, waits until it is shown, and presses Enter. */
  async submit(line: string): Promise<void> {
    this.type(line);
    await this.waitFor((screen) => screen.text().includes(line));
    this.press("enter");
  }

  /** Waits until the screen shows it. Rejects, with the screen, when time is up or pi has ended without it. */
  waitFor(shown: Shown, timeoutMs = MAX_WAIT_MS): Promise<void> {
    const failure = new Error();
    Error.captureStackTrace(failure, this.waitFor);
    let reason = "";
    const holds = (): boolean => {
      try {
        return typeof shown === "function" ? shown(this.screen) : this.screen.text().search(shown) >= 0;
      } catch (error) {
        reason = ` (${(error as Error).message})`;
        return false;
      }
    };
    return new Promise((resolve, reject) => {
      const fail = (why: string): void => {
        failure.message = `${why}, not shown: ${String(shown)}${reason}\n${this.screen.picture()}`;
        reject(failure);
      };
      const waiter = (): boolean => {
        const isMet = holds();
        if (!isMet && this.#end === undefined) return false;
        clearTimeout(timer);
        if (isMet) resolve();
        else fail(`pi ended with ${this.#end}`);
        return true;
      };
      const timer = setTimeout(() => {
        this.#waiters.delete(waiter);
        fail(`after ${timeoutMs} ms`);
      }, timeoutMs);
      this.#waiters.add(waiter);
      this.#look();
    });
  }

  /** Gives the terminal another size, and waits until pi has drawn itself anew for it. */
  async resize(size: ScreenSize): Promise<void> {
    const { columns, rows } = this.screen.size;
    if (columns === size.columns && rows === size.rows) return;
    const { clearings } = this.screen;
    this.screen.resize(size);
    this.#pty.resize(size.columns, size.rows);
    await this.waitFor((screen) => screen.clearings > clearings);
  }

  /** Signals pi, and a shell around it. */
  kill(signal: NodeJS.Signals = "SIGKILL"): void {
    process.kill(-this.#pty.pid, signal);
  }

  /** Ends the terminal, and before it a pi that still runs, with all that descends from it. */
  async close(): Promise<void> {
    if (this.#end === undefined) signalTree(this.#pty.pid, "SIGKILL");
    await this.ended;
    this.screen.dispose();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #send(keys: string): void {
    if (this.#end !== undefined) throw new Error(`pi ended with ${this.#end}\n${this.screen.picture()}`);
    if (this.#isAfterEscape)
      throw new Error(`wait for what Escape did before ${JSON.stringify(keys)}: pi could take both for Alt`);
    this.#pty.write(keys);
  }

  #look(): void {
    if (this.screen.isMidFrame && this.#end === undefined) return;
    for (const waiter of this.#waiters) if (waiter()) this.#waiters.delete(waiter);
  }
}

/** A terminal of 256 colours whatever ours is; node-pty would pass an undefined variable on as a text. */
function terminalEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const ours = { ...env, COLORTERM: undefined, TERM: "xterm-256color" };
  return Object.fromEntries(Object.entries(ours).filter(([, value]) => value !== undefined));
}

function controlCode(letter: string): string {
  return String.fromCharCode(letter.toUpperCase().charCodeAt(0) & 31);
}

function nameOfSignal(number: number): string {
  return Object.entries(constants.signals).find(([, value]) => value === number)?.[0] ?? String(number);
}
