import { type AllowedUse, ANY_USE } from "../../contract/engine/allowed-use.ts";
import type { Policy } from "../../contract/orchestrator/policy.ts";
import { setEngineAllowed } from "../engine-calls/engine-control.ts";
import type { LiveEngine } from "../fleet/live-engines.ts";
import type { HostContext } from "../host-context.ts";
import { inSleepLane } from "./sleep-lane.ts";

type Host = Pick<HostContext, "directory" | "live" | "lanes" | "logger">;

export const allowedUseOf = ({
  allowed_agents: agents,
  allowed_tools: tools,
}: Pick<Policy, "allowed_agents" | "allowed_tools">): AllowedUse => ({
  agents: agents === null ? null : [...agents],
  tools: tools === null ? null : [...tools],
});

/** What an engine was told that was started without any. */
export const allowedText = ({ agents, tools }: AllowedUse = ANY_USE): string => JSON.stringify([agents, tools]);

/**
 * Tells an engine which agents and tools may be used, when that changed. One that does not answer is told after its next
 * probe. Never rejects.
 */
export async function tellAllowed(host: Host, live: LiveEngine): Promise<void> {
  if ((await newsFor(host, live)) === null) return;
  // A connection to an engine that falls asleep would wake it.
  await inSleepLane(host, live.id, async () => {
    const news = host.live.get(live.id) === live ? await newsFor(host, live) : null;
    if (news === null) return;
    const answer = await setEngineAllowed({ url: live.url, token: live.controlToken }, news);
    if (answer.kind === "failed") return;
    if (answer.kind === "unsupported" && allowedText(news) !== allowedText())
      host.logger.warn(
        { engine_id: live.id },
        "failed to tell an engine of an earlier release its agents and tools; restart it",
      );
    live.allowedSent = allowedText(news);
  });
}

/** What an engine is to be told. Null when it knows it, or the database is unavailable. */
async function newsFor({ directory }: Pick<Host, "directory">, live: LiveEngine): Promise<AllowedUse | null> {
  const policy = await directory.policyOfEngine(live).catch(() => null);
  if (policy === null) return null;
  const allowed = allowedUseOf(policy);
  return live.allowedSent === allowedText(allowed) ? null : allowed;
}
