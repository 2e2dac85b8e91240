import { existsSync } from "node:fs";
import { cleanText } from "../base/plain-text.ts";
import { Pulse } from "../render/pulse.ts";
import type { Screen } from "../render/screen.ts";
import { ToolRows } from "../render/tool-rows.ts";
import type { Host } from "./host.ts";

/** What drawing needs of pi and Node. */
export const screenOf = (host: Pick<Host, "tui">): Screen => ({
  visibleWidth: (text) => host.tui.visibleWidth(text),
  truncateToWidth: (text, maxWidth, ellipsis) => host.tui.truncateToWidth(text, maxWidth, ellipsis),
  cleanText,
  fileExists: existsSync,
});

/** Everything of one session that draws, and its clock. */
export class SessionRows {
  readonly pulse = new Pulse();
  readonly screen: Screen;
  readonly tools: ToolRows;
  /** Set when the session starts. */
  isIdle: (() => boolean) | undefined;

  constructor(host: Pick<Host, "tui">) {
    this.screen = screenOf(host);
    this.tools = new ToolRows({
      screen: this.screen,
      pulse: this.pulse,
      isIdle: () => this.isIdle?.(),
    });
  }

  close(): void {
    this.pulse.close();
  }
}
