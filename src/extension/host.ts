/** What pi supplies at run time. The root entry imports it and hands it over; built files import none of it. */
export interface Host {
  codingAgent: typeof import("@earendil-works/pi-coding-agent");
  tui: typeof import("@earendil-works/pi-tui");
  typebox: typeof import("typebox");
  typeboxCompile?: typeof import("typebox/compile");
  typeboxValue: typeof import("typebox/value");
}
