/** A real pi on its own screen, in a terminal that `script` of util-linux supplies: keys go in, what is drawn comes out. */

import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { vi } from "vitest";
import { PI_CLI } from "../../scripts/sandbox-home.ts";
import type { PiStarter, Play } from "./real-pi.ts";

const TRIES = { timeout: 20_000, interval: 300 };

export class ScreenPi {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly ended: Promise<number | null>;
  #drawn = "";
  #isOver = false;

  constructor(home: PiStarter, play: Play) {
    const { args, env } = home.command(play);
    const command = [process.execPath, PI_CLI, ...args].map((word) => `'${word}'`).join(" ");
    this.#child = spawn("script", ["-qefc", command, "/dev/null"], {
      cwd: home.home.cwd,
      env: { ...home.home.env, ...env, TERM: "xterm-256color" },
    });
    this.#child.stdout.on("data", (chunk: Buffer) => (this.#drawn += chunk.toString()));
    this.ended = new Promise((resolve, reject) => {
      this.#child.once("error", reject);
      this.#child.once("exit", (code) => {
        this.#isOver = true;
        resolve(code);
      });
    });
  }

  /** Presses `keys`, again and again, until `shown` is drawn; keys may come before pi listens. */
  async press(keys: string, shown: RegExp): Promise<void> {
    this.#drawn = "";
    await vi.waitFor(() => {
      if (shown.test(this.#drawn)) return;
      this.#child.stdin.write(keys);
      throw new Error(`not drawn: ${shown}`);
    }, TRIES);
  }

  /** Waits until `shown` is drawn. */
  async sees(shown: RegExp): Promise<void> {
    await vi.waitFor(() => {
      if (!shown.test(this.#drawn)) throw new Error(`not drawn: ${shown}`);
    }, TRIES);
  }

  /** Presses `keys` until pi has ended. */
  async quit(keys: string): Promise<number | null> {
    await vi.waitFor(() => {
      if (this.#isOver) return;
      this.#child.stdin.write(keys);
      throw new Error("pi goes on");
    }, TRIES);
    return this.ended;
  }

  kill(): void {
    this.#child.kill("SIGKILL");
  }
}
