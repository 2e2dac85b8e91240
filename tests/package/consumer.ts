/** A folder of somebody who has the built package installed, by a link, and compiles with what it declares. */

import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CHECKOUT } from "./packed.ts";
import { type CommandEnd, runCommand } from "./pi-process.ts";

export class ConsumerFolder {
  readonly path = mkdtempSync(join(tmpdir(), "ptc-consumer-"));

  constructor() {
    mkdirSync(join(this.path, "node_modules/@types"), { recursive: true });
    symlinkSync(CHECKOUT, join(this.path, "node_modules/pi-ptc-subagents"));
    symlinkSync(join(CHECKOUT, "node_modules/@types/node"), join(this.path, "node_modules/@types/node"));
    writeFileSync(
      join(this.path, "package.json"),
      '{ "name": "consumer", "private": true, "type": "module" }',
    );
  }

  write(name: string, content: string): string {
    writeFileSync(join(this.path, name), content);
    return join(this.path, name);
  }

  /** Compiles `files` strictly, our declarations included. */
  compile(...files: string[]): Promise<CommandEnd> {
    const options = ["--noEmit", "--strict", "--skipLibCheck", "false", "--module", "nodenext"];
    const target = ["--target", "es2024", "--lib", "es2024", "--types", "node", "--pretty", "false"];
    const compiler = join(CHECKOUT, "node_modules/typescript/bin/tsc");
    return this.run([compiler, ...options, ...target, ...files]);
  }

  /** Runs Node in the folder. */
  run(args: string[]): Promise<CommandEnd> {
    return runCommand(process.execPath, args, { cwd: this.path, env: process.env });
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}
