import PQueue from "p-queue";
import { type ModelRules, NO_MODEL_RULES } from "../../contract/engine/models.ts";
import type { Policy } from "../../contract/orchestrator/policy.ts";
import { inBackground } from "../../shared/background.ts";
import { delay } from "../../shared/clock.ts";
import { sharedRuns } from "../../shared/shared-runs.ts";
import { setEngineModels } from "../engine-calls/engine-control.ts";
import type { LiveEngine } from "../fleet/live-engines.ts";
import type { HostContext } from "../host-context.ts";
import { inSleepLane } from "./sleep-lane.ts";
import { tellAllowed } from "./tell-allowed.ts";

type Host = Pick<HostContext, "directory" | "live" | "lanes" | "cooldowns" | "logger">;

/** Engines that are told at the same time. One that does not answer takes a place for two seconds. */
const CONCURRENCY = 64;
/** How long the call that changes a policy waits for its engines. */
const SETTLE_MS = 1000;

export const modelRulesOf = ({
  allowed_models,
  fallback,
}: Pick<Policy, "allowed_models" | "fallback">): ModelRules => ({
  allowed: allowed_models === null ? null : [...allowed_models],
  fallback: [...fallback],
});

/** The rules of an engine that was started without any. */
export const rulesText = (rules: ModelRules = NO_MODEL_RULES): string =>
  JSON.stringify([rules.allowed, rules.fallback]);

/**
 * Tells running engines which models, agents and tools are allowed and which models fail, when that changes, until the
 * daemon stops.
 */
export function followModels(host: Host): void {
  const sync = sharedRuns(() => syncEngines(host, host.live.all()));
  const changed = () => inBackground("models", sync());
  host.directory.onChange(changed);
  host.cooldowns.onChange(changed);
}

/** Waits until the running engines of a product were told, at most a second. Those not reached by then are told later. */
export async function modelsSettled(host: Host, productId: string): Promise<void> {
  const late = new AbortController();
  const engines = host.live.all().filter((live) => live.productId === productId);
  await Promise.race([syncEngines(host, engines), delay(SETTLE_MS, late.signal)]);
  late.abort();
}

async function syncEngines(host: Host, engines: readonly LiveEngine[]): Promise<void> {
  await new PQueue({ concurrency: CONCURRENCY }).addAll(engines.map((live) => () => syncAllowed(host, live)));
}

/** Tells an engine what it does not know. One that does not answer is told after its next probe. Never rejects. */
export async function syncAllowed(host: Host, live: LiveEngine): Promise<void> {
  await syncModels(host, live);
  await tellAllowed(host, live);
}

async function syncModels(host: Host, live: LiveEngine): Promise<void> {
  if ((await newsFor(host, live)) === null) return;
  // A connection to an engine that falls asleep would wake it.
  await inSleepLane(host, live.id, async () => {
    const news = host.live.get(live.id) === live ? await newsFor(host, live) : null;
    if (news === null) return;
    const { rules, cooldowns } = news;
    const target = { url: live.url, token: live.controlToken };
    const told = cooldowns.map(({ until: _, ...cooldown }) => cooldown);
    const answer = await setEngineModels(target, { ...rules, cooldowns: told });
    if (answer.kind === "failed") return;
    if (answer.kind === "unsupported" && rulesText(rules) !== rulesText())
      host.logger.warn({ engine_id: live.id }, "failed to tell an engine of an earlier release its models; restart it");
    live.modelsSent = rulesText(rules);
    live.cooldownsSent = new Map(cooldowns.map(({ model, until }) => [model, until]));
  });
}

/** What an engine is to be told. Null when it knows everything, or the database is unavailable. */
async function newsFor({ directory, cooldowns }: Host, live: LiveEngine) {
  const policy = await directory.policyOfEngine(live).catch(() => null);
  if (policy === null) return null;
  const rules = modelRulesOf(policy);
  const current = cooldowns.of(live.order.upstreams);
  const isKnown = current.every(({ model, until }) => live.cooldownsSent.get(model) === until);
  return isKnown && live.modelsSent === rulesText(rules) ? null : { rules, cooldowns: current };
}

/** Shares the models that an engine reports as failing with the other engines. */
export function shareCooldowns(
  { cooldowns }: Pick<Host, "cooldowns">,
  live: LiveEngine,
  reported: Parameters<HostContext["cooldowns"]["add"]>[1],
): void {
  cooldowns.add(live.order.upstreams, reported);
}
