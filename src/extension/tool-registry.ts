/**
 * Our tools in pi's registry. A tool changes its exposure by being registered anew; pi then activates one
 * that becomes declared, and drops one that becomes `hidden`. What another extension has deactivated is
 * registered with `defaultActive: false`, so that it stays so.
 */

import type {
  ExtensionAPI,
  ToolDefinition,
  ToolExposure,
  ToolLoadout,
  ToolLoadoutChanges,
} from "@earendil-works/pi-coding-agent";
import { type ExposureFacts, exposureOf, isDeclared } from "../surface/exposure.ts";
import type { RoleKind } from "../surface/tool-roles.ts";

/** A tool of ours. */
export interface OwnTool {
  role: RoleKind;
  /** Its description may be a getter, and then change; its exposure is decided here. */
  definition: ToolDefinition;
}

type Hook = NonNullable<ToolDefinition["prepareLoadout"]>;

interface Registered extends OwnTool {
  name: string;
  exposure: ToolExposure;
  description: string;
  /** Another extension deactivated it. */
  rests: boolean;
}

export class OwnTools {
  readonly #pi: ExtensionAPI;
  readonly #prepare: (loadout: ToolLoadout, own: Hook | undefined) => ToolLoadoutChanges | undefined;
  readonly #registered = new Map<string, Registered>();
  /** Names that were active at any time. */
  readonly #wereActive = new Set<string>();

  /** `prepare` is every tool's hook; it gets the hook of the tool's own definition. */
  constructor(
    pi: ExtensionAPI,
    prepare: (loadout: ToolLoadout, own: Hook | undefined) => ToolLoadoutChanges | undefined,
  ) {
    this.#pi = pi;
    this.#prepare = prepare;
  }

  get names(): readonly string[] {
    return [...this.#registered.keys()];
  }

  get areRegistered(): boolean {
    return this.#registered.size > 0;
  }

  /** Registers all; pi must not have them yet. */
  register(tools: readonly OwnTool[], facts: ExposureFacts): void {
    for (const tool of tools) {
      const { name, description } = tool.definition;
      const exposure = exposureOf(tool.role, facts);
      this.#registered.set(name, { ...tool, name, exposure, description, rests: false });
      this.#send(name, exposure);
    }
  }

  /** Notes which are active; called with every loadout. */
  note(active: ReadonlySet<string>): void {
    for (const name of this.#registered.keys()) if (active.has(name)) this.#wereActive.add(name);
  }

  /** Would `expose` register anything? */
  differ(facts: ExposureFacts): boolean {
    return [...this.#registered.values()].some(({ role, exposure }) => exposure !== exposureOf(role, facts));
  }

  /** Registers anew those whose exposure these facts change. */
  expose(facts: ExposureFacts): void {
    const active = new Set(this.#pi.getActiveTools());
    const stoodDown = this.#stoodDown(active);
    for (const tool of this.#registered.values()) {
      const exposure = exposureOf(tool.role, facts);
      if (exposure === tool.exposure) continue;
      if (isDeclared(tool.exposure)) tool.rests = this.#wereActive.has(tool.name) && !active.has(tool.name);
      else if (stoodDown) tool.rests = true;
      // An active tool stays active, and so declared, unless it was hidden in between.
      if (!isDeclared(exposure) && active.has(tool.name)) this.#send(tool.name, "hidden");
      this.#send(tool.name, exposure);
    }
  }

  /** Registers anew those whose description has changed. */
  refreshTexts(): void {
    for (const { name, exposure, description, definition } of this.#registered.values()) {
      if (isDeclared(exposure) && definition.description !== description) this.#send(name, exposure);
    }
  }

  /**
   * The session starts: all were active before but `leftBehind`, so whatever else is not now was deactivated by
   * another extension's start.
   */
  begin(leftBehind: readonly string[]): void {
    this.#wereActive.clear();
    for (const { name, exposure } of this.#registered.values())
      if (isDeclared(exposure) && !leftBehind.includes(name)) this.#wereActive.add(name);
  }

  /** Of `names`, those that pi has and would declare, if they were active. */
  inactive(names: readonly string[]): string[] {
    const known = new Set(this.#pi.getAllTools().map(({ name }) => name));
    const active = new Set(this.#pi.getActiveTools());
    return [...this.#registered.values()]
      .filter(({ name, exposure }) => isDeclared(exposure) && names.includes(name))
      .map(({ name }) => name)
      .filter((name) => known.has(name) && !active.has(name));
  }

  /** Activates tools, as pi does with one that becomes declared. */
  activate(names: readonly string[]): void {
    for (const name of names) {
      const exposure = this.#registered.get(name)?.exposure;
      if (exposure === undefined) continue;
      this.#send(name, "hidden");
      this.#send(name, exposure);
    }
  }

  /** Has somebody deactivated all that the model was shown of ours? */
  #stoodDown(active: ReadonlySet<string>): boolean {
    const shown = [...this.#registered.values()].filter(
      ({ name, exposure }) => isDeclared(exposure) && this.#wereActive.has(name),
    );
    return shown.length > 0 && !shown.some(({ name }) => active.has(name));
  }

  #send(name: string, exposure: ToolExposure): void {
    const tool = this.#registered.get(name);
    if (!tool) return;
    const { prepareLoadout, ...definition } = tool.definition;
    tool.exposure = exposure;
    tool.description = definition.description;
    this.#pi.registerTool({
      ...definition,
      exposure,
      ...(tool.rests ? { defaultActive: false } : {}),
      prepareLoadout: (loadout) => this.#prepare(loadout, prepareLoadout),
    });
  }
}
