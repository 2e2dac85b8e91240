/** Ends workers whose pi was killed, even those in a synchronous loop, by a small shell that watches. */

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

  /** Takes a group into care. */
  watch(pid: number): void {
    if (this.#closed || process.platform === "win32") return;
    try {
      this.#shell ??= this.#start();
      this.#shell.stdin?.write(`+ ${pid}\n`);
    } catch {
      // Without a shell a worker still ends itself when its pipe closes, unless it loops.
    }
  }

  /** The group is gone; its id may be used again. */
  forget(pid: number): void {
    if (this.#shell?.stdin?.writable) this.#shell.stdin.write(`- ${pid}\n`);
  }

  /** Ends the shell, and the groups still in care. */
  close(): void {
    this.#closed = true;
    this.#shell?.stdin?.end();
  }

  #start(): ChildProcess {
    // Detached, so that a hang-up of the terminal does not end it before pi.
    const shell = spawn("/bin/sh", ["-c", SCRIPT], {
      cwd: "/",
      detached: true,
      env: {},
      stdio: ["pipe", "ignore", "ignore"],
    });
    shell.on("error", () => undefined);
    shell.stdin?.on("error", () => undefined);
    shell.unref();
    (shell.stdin as unknown as { unref?(): void } | null)?.unref?.();
    return shell;
  }
}
