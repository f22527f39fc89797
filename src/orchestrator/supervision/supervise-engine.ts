import { inBackground } from "../../shared/background.ts";
import { delay } from "../../shared/clock.ts";
import { outsideRequests } from "../../shared/request-context.ts";
import type { EngineExit } from "../fleet/engine-backend.ts";
import type { LiveEngine } from "../fleet/live-engines.ts";
import { findProduct, type Product } from "../store/products.ts";
import type { EngineRow } from "../store/tables.ts";
import { withAwakeSlot } from "./acquire-awake-slot.ts";
import { bootEngine, bootQueued } from "./boot-engine.ts";
import type { Boot, UnsupervisedBoot } from "./boot-on-port.ts";
import type { BootSlot } from "./boot-queue.ts";
import { cancellableBoot } from "./cancellable-boot.ts";
import { describeExit, buildLastError } from "./last-error.ts";
import { claimAndBegin } from "./claim-lane.ts";
import { bootDeadline, newIncarnation } from "./new-incarnation.ts";
import { retryMove, retryUntilStopped } from "./retry-until-stopped.ts";
import { endRevival } from "./end-revival.ts";
import { recordExit } from "./record-exit.ts";
import type { BootResult, ClaimedBoot, UnexpectedExit } from "./supervisor.ts";
import type { StartingHost } from "../host-context.ts";
import { type RevivingHost, judgeFromMemory, reviveEngine } from "./revive-engine.ts";
import { syncPlan } from "./follow-plans.ts";
import { syncToolHook } from "./follow-tool-hooks.ts";
import { syncSuspension } from "./follow-suspensions.ts";
import { watchEngine } from "./watch-engine.ts";

/** A write that fails once may be a lost connection. The database counts as unavailable when it fails again after this. */
const UNAVAILABLE_MS = 500;

/** Boots an engine in a slot of the boot queue and supervises it from `running` on. */
const bootSupervised = async (
  host: StartingHost,
  boot: Omit<Boot, "signal">,
  ready: Promise<void>,
): Promise<BootResult> => supervised(host, await bootEngine(host, boot, ready));

export const bootNew = async (host: StartingHost, engine: EngineRow, product: Product): Promise<BootResult> =>
  supervised(host, await bootQueued(host, engine, product));

/** Claimed with the slots, not before: a start that is refused for capacity leaves the engine unchanged. */
export function bootClaimed(
  host: StartingHost,
  product: Product,
  { engineId, requested, claim }: ClaimedBoot,
): Promise<BootResult | null> {
  const request = { engineId, productId: product.record.id, requested };
  return withAwakeSlot(host, request, () =>
    host.bootQueue.run(request, (slot) =>
      claimAndBegin(host, engineId, {
        slot,
        claim,
        begin: (engine, ready) => bootSupervised(host, { engine, product, slot }, ready),
      }),
    ),
  );
}

export function superviseAdopted(host: StartingHost, live: LiveEngine): void {
  host.live.add(live);
  supervise(host, live);
}

function supervised(host: StartingHost, boot: UnsupervisedBoot): BootResult {
  if (boot.kind !== "running") return boot;
  supervise(host, boot.live);
  return { kind: "running", engine: boot.engine };
}

/** Watches one incarnation. After an unexpected exit it restarts the engine or gives up. */
function supervise(host: StartingHost, live: LiveEngine): void {
  // The policy and the plan may have changed since its launch.
  inBackground("suspension of an engine", syncSuspension(host, live), { engine_id: live.id });
  inBackground("plan of an engine", syncPlan(host, live), { engine_id: live.id });
  inBackground("tool hook of an engine", syncToolHook(host, live), { engine_id: live.id });
  // The request that started the engine has been answered when its process exits.
  outsideRequests(() =>
    watchEngine(host, live, async () => {
      const exit = await live.process.exited;
      // An exit during a sleep is no crash. The sleep operation handles it.
      await live.fallingAsleep;
      if (live.isStopping) return;
      await host.transitions.own(live.id, () => handleExit(host, live, exit));
    }),
  );
}

async function handleExit(host: StartingHost, live: LiveEngine, exit: EngineExit): Promise<void> {
  host.live.remove(live.id, live.incarnation);
  if (exit.host !== undefined) return restartAfterHostExit(host, live, exit.host);
  const reason = live.stopCause ?? `the engine's process exited ${describeExit(exit)}`;
  const lastError = await buildLastError(host, { id: live.id, ...live.order.owner }, { phase: "run", reason, exit });
  await recordAndRestart(host, live, {
    id: live.id,
    incarnation: live.incarnation,
    from: ["running", "unhealthy"],
    lastError,
    healthyForMs: host.now() - live.healthySince,
  });
}

/** Restarts an engine that its machine or cluster ended. This does not count as a crash. */
async function restartAfterHostExit(
  host: StartingHost,
  { id, incarnation }: LiveEngine,
  reason: string,
): Promise<void> {
  host.logger.warn({ engine_id: id, incarnation, reason }, "restarting an engine that its host ended");
  const waiting = await retryMove(host, "end by the host", () => ({
    id,
    from: ["running", "unhealthy"],
    to: "backoff",
    incarnation,
    set: { handle: null, next_restart_at: new Date(host.now()) },
    event: { type: "engine.stopped", reason },
  }));
  await restartFromBackoff(host, waiting ?? null);
}

async function recordAndRestart(host: StartingHost, live: LiveEngine, exit: UnexpectedExit): Promise<void> {
  // From the first attempt on: a stop that follows a lost commit finds the revival.
  const outcome = await cancellableBoot(host, live, (cancelled) => recordOrRevive(host, live, { exit, cancelled }));
  if (outcome.kind === "recorded") await restartFromBackoff(host, outcome.engine);
  else if (outcome.kind === "revived") supervise(host, outcome.live);
  else await restartOrFail(host, exit);
}

type ExitOutcome =
  | { readonly kind: "recorded"; readonly engine: EngineRow | null }
  | { readonly kind: "revived"; readonly live: LiveEngine }
  | typeof UNRECORDED;

const UNRECORDED = { kind: "unrecorded" } as const;

/** Without the database, the restart history in memory decides. */
async function recordOrRevive(
  host: RevivingHost,
  live: LiveEngine,
  { exit, cancelled }: { readonly exit: UnexpectedExit; readonly cancelled: AbortSignal },
): Promise<ExitOutcome> {
  const first = await tryToRecord(host, exit);
  if (first.kind === "recorded") return first;
  const verdict = judgeFromMemory(host, live, exit);
  if (verdict.kind === "give_up") return UNRECORDED;
  const signal = AbortSignal.any([host.stopping, cancelled]);
  if (!(await delay(Math.max(verdict.delayMs, UNAVAILABLE_MS), signal))) return UNRECORDED;
  const second = await tryToRecord(host, exit);
  if (second.kind === "recorded") return second;
  const revived = await reviveEngine(host, live, { exit, verdict, signal });
  return revived === null ? UNRECORDED : { kind: "revived", live: revived };
}

async function tryToRecord(
  host: Parameters<typeof recordExit>[0],
  exit: UnexpectedExit,
): Promise<Extract<ExitOutcome, { kind: "recorded" }> | typeof UNRECORDED> {
  try {
    return { kind: "recorded", engine: await recordExit(host, exit) };
  } catch (error) {
    host.logger.warn({ err: error, engine_id: exit.id }, "failed to record an engine's exit");
    return UNRECORDED;
  }
}

export function scheduleRestart(host: StartingHost, engine: EngineRow): Promise<void> {
  return host.transitions.own(engine.id, async () => {
    const waitMs = Math.max(0, (engine.next_restart_at?.getTime() ?? 0) - host.now());
    if (waitMs > 0 && !(await delay(waitMs, host.stopping))) return;
    if (!(await host.breaker.waitForPermit(host.stopping))) return;
    const request = { productId: engine.product_id, requested: false };
    const result = await host.bootQueue.run(request, (slot) => restart(host, engine, slot));
    if (result?.kind !== "failed") return;
    await restartOrFail(host, {
      id: engine.id,
      incarnation: result.incarnation,
      from: ["starting"],
      lastError: result.lastError,
      healthyForMs: 0,
    });
  });
}

/** Null when a request has taken the engine over, or the daemon stops. */
const restart = (host: StartingHost, engine: EngineRow, slot: BootSlot): Promise<BootResult | null> =>
  claimAndBegin(host, engine.id, {
    slot,
    claim: () => claimRestart(host, engine),
    begin: (claimed, ready) => bootSupervised(host, { ...claimed, slot }, ready),
  });

async function claimRestart(
  host: Pick<StartingHost, "db" | "states" | "boots" | "live" | "logger" | "stopping" | "settings" | "now">,
  engine: EngineRow,
): Promise<{ readonly engine: EngineRow; readonly product: Product } | null> {
  await endRevival(host, engine);
  const incarnation = newIncarnation(host, {});
  const claim = retryMove(host, "restart", () => ({
    id: engine.id,
    from: ["backoff"],
    to: "starting",
    incarnation: engine.incarnation,
    set: { ...incarnation, deadline_at: bootDeadline(host) },
    event: { type: "engine.restarting", data: { restart: engine.restart_count } },
  }));
  const found = retryUntilStopped(host, "restart", () => findProduct(host.db, engine.product_id));
  const [claimed, product] = await Promise.all([claim, found]);
  return claimed && product ? { engine: claimed, product } : null;
}

export async function restartOrFail(host: StartingHost, exit: UnexpectedExit): Promise<void> {
  await restartFromBackoff(host, (await retryUntilStopped(host, "exit", () => recordExit(host, exit))) ?? null);
}

async function restartFromBackoff(host: StartingHost, engine: EngineRow | null): Promise<void> {
  if (engine?.state === "backoff") await scheduleRestart(host, engine);
}
