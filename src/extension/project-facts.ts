/** What a session has of its project: children get it only where pi trusted it. */

import { errorText } from "../base/error-text.ts";
import type { Host } from "./host.ts";

/** What was found when the session began. */
export interface ProjectFacts {
  /** pi trusts the project, and there was something to trust when the session began. */
  trusted: boolean;
  /** Absolute paths of the project's extensions. */
  extensions: string[];
  /** Why the extensions could not be found; then no child may be started, since it would lack the project's gates. */
  problem?: string;
}

/** Reads them as pi does. Never rejects. */
export async function projectFacts(
  { codingAgent }: Host,
  ctx: { cwd: string; isProjectTrusted(): boolean },
): Promise<ProjectFacts> {
  const none = { trusted: false, extensions: [] };
  if (!ctx.isProjectTrusted() || !codingAgent.hasTrustRequiringProjectResources(ctx.cwd)) return none;
  try {
    const agentDir = codingAgent.getAgentDir();
    const settingsManager = codingAgent.SettingsManager.create(ctx.cwd, agentDir, { projectTrusted: true });
    const manager = new codingAgent.DefaultPackageManager({
      cwd: ctx.cwd,
      agentDir,
      settingsManager,
      commandOutput: "capture",
    });
    const { extensions } = await manager.resolve(async () => "skip");
    const ofProject = extensions.filter(({ enabled, metadata }) => enabled && metadata.scope === "project");
    return { trusted: true, extensions: ofProject.map(({ path }) => path) };
  } catch (error) {
    return { ...none, problem: `the extensions of this project cannot be found (${errorText(error)})` };
  }
}
