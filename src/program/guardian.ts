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

/** One shell for all workers of a session, started with the first. */
export class Guardian {
  readonly #live = new Set<number>();
  #shell: ChildProcess | undefined;
  #closed = false;

  /** Takes a group into care. */
  watch(pid: number): void {
    if (this.#closed || process.platform === "win32") return;
    this.#live.add(pid);
    if (this.#shell) return this.#tell(`+ ${pid}`);
    try {
      this.#shell = this.#start();
      for (const live of this.#live) this.#tell(`+ ${live}`);
    } catch {
      // Without a shell a worker still ends itself when its pipe closes, unless it loops.
    }
  }

  /** The group is gone; its id may be used again. */
  forget(pid: number): void {
    if (this.#live.delete(pid)) this.#tell(`- ${pid}`);
  }

  /** Ends the shell, and the groups still in care. */
  close(): void {
    this.#closed = true;
    this.#shell?.stdin?.end();
  }

  #tell(line: string): void {
    const input = this.#shell?.stdin;
    if (input?.writable) input.write(`${line}\n`);
  }

  #start(): ChildProcess {
    // Detached, so that a hang-up of the terminal does not end it before pi.
    const shell = spawn("/bin/sh", ["-c", SCRIPT], {
      cwd: "/",
      detached: true,
      env: {},
      stdio: ["pipe", "ignore", "ignore"],
    });
    // The next worker gets another one, which takes over.
    const lost = (): void => {
      if (this.#shell === shell) this.#shell = undefined;
    };
    shell.on("error", lost);
    shell.on("exit", lost);
    shell.stdin?.on("error", lost);
    shell.unref();
    (shell.stdin as unknown as { unref?(): void } | null)?.unref?.();
    return shell;
  }
}
