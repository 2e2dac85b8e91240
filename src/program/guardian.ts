/**
 * Ends worker processes whose pi is gone without having ended them (SIGKILL, a crash of the runtime).
 * A worker in a synchronous loop cannot notice that by itself, so one small shell a session does: it
 * is told which groups live, and kills them when the pipe from pi closes. Where there is no shell,
 * only such looping workers stay behind.
 */

import { type ChildProcess, spawn } from "node:child_process";

const SCRIPT = `live=
while read -r verb pid; do
  case $verb in
    +) live="$live $pid" ;;
    -) rest=; for each in $live; do [ "$each" = "$pid" ] || rest="$rest $each"; done; live=$rest ;;
  esac
done
for each in $live; do kill -s KILL -- "-$each" 2>/dev/null; done`;

export class Guardian {
  #shell: ChildProcess | undefined;
  #closed = false;

  /** Takes a process group into care. */
  watch(pid: number): void {
    if (this.#closed || process.platform === "win32") return;
    this.#shell ??= this.#start();
    this.#shell.stdin?.write(`+ ${pid}\n`);
  }

  /** The group is gone; its id may be used again by somebody else. */
  forget(pid: number): void {
    if (this.#shell?.stdin?.writable) this.#shell.stdin.write(`- ${pid}\n`);
  }

  /** Ends the shell; groups that are still in care are ended with it. */
  close(): void {
    this.#closed = true;
    this.#shell?.stdin?.end();
  }

  #start(): ChildProcess {
    // A session of its own, so that a hang-up of the terminal does not end it before pi.
    const shell = spawn("/bin/sh", ["-c", SCRIPT], { cwd: "/", detached: true, env: {}, stdio: ["pipe", "ignore", "ignore"] });
    // Without a shell nothing is guarded; the worker still ends itself when its pipe closes.
    shell.on("error", () => undefined);
    shell.stdin?.on("error", () => undefined);
    shell.unref();
    (shell.stdin as unknown as { unref?(): void } | null)?.unref?.();
    return shell;
  }
}
