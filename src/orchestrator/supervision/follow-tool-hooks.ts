import PQueue from "p-queue";
import type { HookedCall, ToolHookRules } from "../../contract/engine/tool-hook.ts";
import type { Policy } from "../../contract/orchestrator/policy.ts";
import { inBackground, untilExit } from "../../shared/background.ts";
import { delay } from "../../shared/clock.ts";
import { sharedRuns } from "../../shared/shared-runs.ts";
import { answerHookedCall, readHookedCalls, setEngineToolHook } from "../engine-calls/engine-hooks.ts";
import type { LiveEngine } from "../fleet/live-engines.ts";
import type { HostContext } from "../host-context.ts";
import type { Product } from "../store/products.ts";
import { askToolHook } from "./ask-tool-hook.ts";
import { inSleepLane } from "./sleep-lane.ts";

export type HookHost = Pick<
  HostContext,
  "directory" | "live" | "lanes" | "box" | "now" | "metrics" | "hookFailures" | "logger" | "stopping"
>;

/** Engines that are told at the same time. One that does not answer takes a place for two seconds. */
const TOLD_AT_ONCE = 64;
/** How long the call that changes a policy waits for its engines. */
const SETTLE_MS = 1000;
/** How long an engine holds a read of its calls. */
const WAIT_MS = 50_000;
const RETRY_MS = 500;
/** Calls of one engine that the product is asked about at the same time. */
const ASKED_AT_ONCE = 16;
const ANSWER_TRIES = 3;

export const toolHookRulesOf = ({ tool_hook: hook }: Pick<Policy, "tool_hook">): ToolHookRules | null =>
  hook === null ? null : { tools: [...hook.tools], timeout_ms: hook.timeout_ms, on_error: hook.on_error };

/** Keeps engines and their products' hooks together when a product changes, until the daemon stops. */
export function followToolHooks(host: HookHost): void {
  const sync = sharedRuns(() => syncEngines(host, host.live.all()));
  host.directory.onChange(() => inBackground("tool hooks", sync()));
}

/** Waits until the running engines of a product were told, at most a second. Those not reached by then are told later. */
export async function toolHookSettled(host: HookHost, productId: string): Promise<void> {
  const late = new AbortController();
  const engines = host.live.all().filter((live) => live.productId === productId);
  await Promise.race([syncEngines(host, engines), delay(SETTLE_MS, late.signal)]);
  late.abort();
}

async function syncEngines(host: HookHost, engines: readonly LiveEngine[]): Promise<void> {
  await new PQueue({ concurrency: TOLD_AT_ONCE }).addAll(engines.map((live) => () => syncToolHook(host, live)));
}

/**
 * Tells an engine of its product's hook, and reads its calls as long as there is one. An engine that does not answer is
 * told after its next probe. Never rejects.
 */
export async function syncToolHook(host: HookHost, live: LiveEngine): Promise<void> {
  const product = await host.directory.named(live.productId).catch(() => null);
  if (product === null || live.hook.isUnsupported) return;
  const rules = toolHookRulesOf(product.record.policy);
  if (rules === null) live.hook.read?.abort();
  else if (!live.hook.isFollowed) follow(host, live, product);
  const text = JSON.stringify(rules);
  if (live.hook.sent === text) return;
  // A connection to an engine that falls asleep would wake it.
  await inSleepLane(host, live.id, async () => {
    if (host.live.get(live.id) !== live || live.hook.sent === text) return;
    const told = await setEngineToolHook({ url: live.url, token: live.controlToken }, rules);
    if (told.kind === "failed") return;
    if (told.kind === "unsupported") giveUp(host, live, rules);
    live.hook.sent = text;
  });
}

/** An engine of an earlier release runs calls without asking. */
function giveUp({ logger }: HookHost, live: LiveEngine, rules: ToolHookRules | null): void {
  live.hook.isUnsupported = true;
  if (rules !== null)
    logger.warn({ engine_id: live.id }, "failed to tell an engine of an earlier release its hook on tools; restart it");
}

function follow(host: HookHost, live: LiveEngine, product: Product): void {
  live.hook.isFollowed = true;
  const exited = new AbortController();
  untilExit(
    "wait for an engine's exit",
    live.process.exited.then(() => exited.abort()),
  );
  const signal = AbortSignal.any([exited.signal, host.stopping]);
  const followed = answerCalls(host, live, { product, signal }).finally(() => {
    live.hook.isFollowed = false;
  });
  inBackground("tool hook of an engine", followed, { engine_id: live.id });
}

/** Without the database the product of before counts. */
async function answerCalls(
  host: HookHost,
  live: LiveEngine,
  { product: known, signal }: { readonly product: Product; readonly signal: AbortSignal },
): Promise<void> {
  const queue = new PQueue({ concurrency: ASKED_AT_ONCE });
  let product: Product | null = known;
  let after = 0;
  const current = async (): Promise<Product | null> => {
    product = await host.directory.named(live.productId).catch(() => product);
    return product;
  };
  while (!signal.aborted && host.live.get(live.id) === live) {
    const policy = (await current())?.record.policy;
    if (policy === undefined || policy.tool_hook === null) {
      // In this step: a policy that has a hook again must not find it followed.
      live.hook.isFollowed = false;
      return;
    }
    const read = await readCalls(host, live, { after, signal });
    if (read === null) continue;
    if (read.kind === "unsupported") return;
    if (read.kind === "failed") {
      await delay(RETRY_MS, signal);
      continue;
    }
    for (const call of read.calls) {
      after = Math.max(after, call.seq);
      inBackground(
        "decision about a call",
        queue.add(() => decide(host, live, { current, call })),
      );
    }
  }
}

/** Null when the engine was about to sleep. It does not, or the next process is followed anew. */
async function readCalls(
  host: HookHost,
  live: LiveEngine,
  { after, signal }: { readonly after: number; readonly signal: AbortSignal },
) {
  const reading = new AbortController();
  // Begun within the lane, so that none begins while the engine falls asleep. The sleep ends one that has begun.
  const read = await inSleepLane(host, live.id, async () => {
    if (host.live.get(live.id) !== live || live.isStopping) return null;
    const target = { url: live.url, token: live.controlToken };
    const calls = readHookedCalls(target, {
      after,
      waitMs: WAIT_MS,
      signal: AbortSignal.any([signal, reading.signal]),
    });
    live.hook.read = { abort: () => reading.abort(), ended: calls };
    return { calls };
  });
  if (read === null) return null;
  const outcome = await read.calls;
  live.hook.read = null;
  return reading.signal.aborted ? null : outcome;
}

/** Ends the read of an engine's calls, so that the engine may sleep. */
export async function endHookRead({ hook: { read } }: LiveEngine): Promise<void> {
  read?.abort();
  await read?.ended;
}

async function decide(
  host: HookHost,
  live: LiveEngine,
  { current, call }: { readonly current: () => Promise<Product | null>; readonly call: HookedCall },
): Promise<void> {
  const caller = { engineId: live.id, userId: live.order.launch.user_id };
  // As it is now: the read of the call may have begun before its policy was changed.
  const answer = await askToolHook(host, await current(), { ...caller, call });
  if (answer.verdict === "failed")
    host.logger.warn({ engine_id: live.id, reason: answer.error }, "a product's hook did not decide about a call");
  // The next daemon asks again.
  if (host.stopping.aborted) return;
  const target = { url: live.url, token: live.controlToken };
  for (let tries = 0; tries < ANSWER_TRIES; tries++) {
    if (host.live.get(live.id) !== live) return;
    if ((await answerHookedCall(target, call, answer)) === "ok") return;
    await delay(RETRY_MS, host.stopping);
  }
}
