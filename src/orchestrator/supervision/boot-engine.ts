import { currentRequest } from "../../shared/request-context.ts";
import { NO_SPAN } from "../../shared/tracing/span.ts";
import type { Product } from "../store/products.ts";
import { NoFreeUser, assignUser } from "../store/engine-users.ts";
import { changePort } from "../store/ports.ts";
import type { EngineRow } from "../store/tables.ts";
import { withAwakeSlot } from "./acquire-awake-slot.ts";
import { type Boot, type UnsupervisedBoot, bootOnPort } from "./boot-on-port.ts";
import { BootCancelled } from "./boot-queue.ts";
import { cancellableBoot } from "./cancellable-boot.ts";
import { failedBoot } from "./boot-failure.ts";
import { reachability } from "../rules/engine-lifecycle.ts";
import type { Fleet, HostContext, Records, Runtime, StartLimits, StartingHost } from "../host-context.ts";
import type { StoredEngine } from "../fleet/engine-storage.ts";
import { findEngineById } from "../store/engines.ts";

/** The most ports that one boot tries while other programs listen on them. */
const MAX_PORTS = 16;

/**
 * Boots an engine from a claimed row (`provisioning` or `starting`, this incarnation) to `running`. Until then the boot
 * owns the process: after every other outcome the process is gone and the caller decides about the row. The caller
 * holds a slot of the boot queue when `ready` resolves. Only supervise-engine.ts calls this, so that every running engine is supervised.
 */
export const bootEngine = (
  host: StartingHost,
  boot: Omit<Boot, "signal">,
  ready: Promise<void>,
): Promise<UnsupervisedBoot> =>
  cancellable(host, boot.engine, async (signal) => {
    await ready;
    return bootInSlot(host, { ...boot, signal });
  });

/** Like {@link bootEngine}, after it has waited for an awake slot and a boot slot. A stop or a destroy cancels the wait. */
export const bootQueued = (host: StartingHost, engine: EngineRow, product: Product): Promise<UnsupervisedBoot> =>
  cancellable(host, engine, async (signal) => {
    try {
      const request = { engineId: engine.id, productId: engine.product_id, requested: true, signal };
      const boot = () => host.bootQueue.run(request, (slot) => bootInSlot(host, { engine, product, slot, signal }));
      return await withAwakeSlot(host, request, boot);
    } catch (error) {
      if (error instanceof BootCancelled) return { kind: "overtaken" };
      throw error;
    }
  });

/** A boot that cleans up when something has overtaken it. */
async function cancellable(
  host: Pick<HostContext, "db" | "backend" | "boots" | "lanes" | "live">,
  engine: EngineRow,
  work: (signal: AbortSignal) => Promise<UnsupervisedBoot>,
): Promise<UnsupervisedBoot> {
  const result = await cancellableBoot(host, engine, work);
  if (result.kind === "overtaken") {
    await discardOrphanedFiles(host, engine);
    await releaseUnusedSocket(host, engine.id);
  }
  return result;
}

/** Releases the slot after the boot: the steps that follow only wait for the database. */
async function bootInSlot(host: Records & Fleet & StartLimits & Runtime, boot: Boot): Promise<UnsupervisedBoot> {
  const { engine, product, slot } = boot;
  const span = host.tracer.start("boot engine", {
    kind: "internal",
    parent: currentRequest()?.span ?? NO_SPAN,
    attributes: { "orchd.engine.id": engine.id, "orchd.product": product.record.slug },
  });
  try {
    const result = await bootOnAnyPort(host, boot);
    span.end(result.kind === "failed" ? result.kind : null);
    return result;
  } finally {
    slot.release();
    span.end("internal_error");
  }
}

/** Stores the user id that the engine runs as, before its launch. */
async function assignEngineUser(
  { db, isolation, settings }: Pick<HostContext, "db" | "isolation" | "settings">,
  engine: EngineRow,
): Promise<EngineRow | "none free" | null> {
  const { engineUids, portRange } = settings;
  const { min, max } = engineUids;
  const preferred = Math.min(Math.max(min + (engine.port ?? portRange.min) - portRange.min, min), max);
  try {
    return await assignUser(db, engine, isolation.hasEngineUsers ? { min, max, preferred } : null);
  } catch (error) {
    if (error instanceof NoFreeUser) return "none free";
    throw error;
  }
}

/** Boots on the engine's port. If another program listens there, the engine gets the next free port. */
async function bootOnAnyPort(
  host: Records & Fleet & StartLimits & Runtime,
  { engine, product, slot, signal }: Boot,
): Promise<UnsupervisedBoot> {
  const startedAt = performance.now();
  const deadline = startedAt + host.settings.bootTimeoutMs;
  let attempt = engine;
  for (let ports = 1; !signal.aborted; ports++) {
    const settled = await slot.awaitDatabase(assignEngineUser(host, attempt));
    if (settled === null) break;
    if (settled === "none free") {
      const { min, max } = host.settings.engineUids;
      return failedBoot(host, engine, { reason: `no user id from ${min} to ${max} is free (ORCH_ENGINE_UID_MIN)` });
    }
    attempt = settled;
    const result = await bootOnPort(host, { engine: attempt, product, slot, signal }, deadline);
    if (result.kind !== "port_taken") {
      const spare = (result.kind === "running" ? result.live.process.spare : null) ?? "off";
      host.metrics.bootSeconds.observe({ outcome: result.kind, spare }, (performance.now() - startedAt) / 1000);
      return result;
    }
    host.logger.warn(
      { engine_id: engine.id, port: attempt.port },
      "moving an engine: its port is taken by another program",
    );
    const moved =
      ports < MAX_PORTS
        ? await slot.awaitDatabase(
            changePort(host.db, attempt, { range: host.settings.portRange, events: host.events }),
          )
        : null;
    if (moved === null)
      return failedBoot(host, attempt, { reason: `port ${attempt.port} is taken by another program` });
    attempt = moved;
  }
  return { kind: "overtaken" };
}

/** Releases a socket that the launch held again after the call that overtook it had released it. */
async function releaseUnusedSocket(
  { db, backend, boots, live }: Pick<HostContext, "db" | "backend" | "boots" | "live">,
  engineId: string,
): Promise<void> {
  const row = await findEngineById(db, engineId);
  if (row !== null && reachability(row) !== "down") return;
  // A later start holds it by now.
  if (!boots.has(engineId) && live.get(engineId) === undefined) backend.sockets.release(engineId);
}

/** Removes the files that a launch created while a destroy was deleting the engine. */
export function discardOrphanedFiles(
  host: Pick<HostContext, "db" | "backend" | "lanes">,
  engine: StoredEngine,
): Promise<void> {
  const { id } = engine;
  return host.lanes.run(id, async () => {
    if ((await findEngineById(host.db, id)) === null) await host.backend.storage.discard(engine);
  });
}
