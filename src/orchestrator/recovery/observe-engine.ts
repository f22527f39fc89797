import type { EngineState } from "../../contract/orchestrator/requests.ts";
import type { Attached, EngineProcess } from "../fleet/engine-backend.ts";
import { engineStatus } from "../engine-calls/engine-control.ts";
import { probeOnce } from "../engine-calls/health-probe.ts";
import type { HostContext } from "../host-context.ts";
import type { Observed } from "../rules/adoption.ts";
import type { EngineRow } from "../store/tables.ts";
import { controlToken } from "../supervision/launch-order.ts";
import { currentIncarnation } from "../supervision/new-incarnation.ts";

const PROBE_TIMEOUT_MS = 2000;
/** Without the control token its routes do not exist. */
const NOT_FOUND = 404;

type Host = Pick<HostContext, "backend" | "probes" | "box" | "logger">;

/** Finds an engine's process and probes it, for the adoption rule. */
export async function observeEngine(
  host: Host,
  row: EngineRow,
): Promise<{ readonly process: EngineProcess | null; readonly observed: Observed }> {
  const found = await attach(host, row);
  if (found.kind === "gone") return { process: null, observed: found.cause === "host" ? "rebooted" : "gone" };
  if (found.kind === "unknown") {
    host.logger.warn({ engine_id: row.id, reason: found.reason }, "failed to find out whether an engine runs");
    return { process: null, observed: "unknown" };
  }
  const { process } = found;
  const identity = { engineId: row.id, incarnation: row.incarnation, timeoutMs: PROBE_TIMEOUT_MS };
  const answer = await host.probes.add(() => probeOnce(process.address, identity));
  if (answer.kind !== "ok") return { process, observed: answer.kind === "failed" ? "silent" : "displaced" };
  return { process, observed: await controlledBy(host, row, process) };
}

/** A daemon that crashed may have launched a process without recording it, also in `backoff`, without the database. */
async function attach({ backend }: Host, row: EngineRow): Promise<Attached> {
  const incarnation = currentIncarnation(row);
  const recorded = row.handle === null ? GONE : await backend.attach(incarnation, row.handle);
  const isGone = recorded.kind === "gone" && recorded.cause === "exit";
  return isGone && MAY_HAVE_LAUNCHED.has(row.state) ? backend.attach(incarnation, null) : recorded;
}

const MAY_HAVE_LAUNCHED: ReadonlySet<EngineState> = new Set(["starting", "running", "unhealthy", "backoff"]);

const GONE = { kind: "gone", cause: "exit" } as const;

/** Whether an earlier daemon has begun to drain the engine, and whether it takes orders of this one. */
async function controlledBy(host: Host, row: EngineRow, { address: url }: EngineProcess): Promise<Observed> {
  const outcome = await host.probes.add(() => engineStatus({ url, token: controlToken(host, row) }));
  if (outcome.kind === "ok") return outcome.status.draining ? "draining" : "answers";
  return outcome.status === NOT_FOUND ? "estranged" : "answers";
}
