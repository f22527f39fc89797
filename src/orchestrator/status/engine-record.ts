import { shownProcess } from "../../contract/orchestrator/engine-handle.ts";
import type { EngineRecord, EngineUsage } from "../../contract/orchestrator/requests.ts";
import { isoTime } from "../../shared/clock.ts";
import { engineUrl } from "../engine-calls/engine-url.ts";
import type { LiveEngine } from "../fleet/live-engines.ts";
import { backendPort } from "../rules/backend-port.ts";
import { isRunning } from "../rules/engine-lifecycle.ts";
import type { EngineRow } from "../store/tables.ts";
import type { HostContext } from "../host-context.ts";
import { workCounts } from "./work-counts.ts";

const MIB = 1_048_576;

/** The engine as clients see it: its row, with health and activity from supervision. */
export function engineRecord(host: Pick<HostContext, "live" | "settings">, row: EngineRow): EngineRecord {
  const found = host.live.get(row.id);
  const live = found?.incarnation === row.incarnation ? found : undefined;
  return {
    id: row.id,
    product_id: row.product_id,
    user_id: row.user_id,
    state: row.state,
    running: isRunning(row.state),
    desired_state: row.desired_state,
    port: row.port,
    url: callUrl(host.settings, row),
    incarnation: row.incarnation,
    ...shownProcess(row.handle),
    version: row.version,
    api_key: {
      prefix: row.key_prefix,
      last4: row.key_last4,
      created_at: row.key_created_at.toISOString(),
      previous_expires_at: row.previous_key_expires_at?.toISOString() ?? null,
    },
    health: health(live),
    catalog: live === undefined ? null : { version: live.catalog.version, error: live.catalog.error },
    restarts: {
      count: row.restart_count,
      window_started_at: row.restart_window_started_at?.toISOString() ?? null,
      next_at: row.next_restart_at?.toISOString() ?? null,
    },
    usage: live === undefined ? null : usage(live),
    last_error: row.last_error,
    sleep: sleepOf(row),
    awake: row.state === "running" ? awakeOf(row, live) : null,
    open_questions: row.open_questions,
    stop_reason: row.stop_reason,
    last_active_at: lastActive(row, live),
    created_at: row.created_at.toISOString(),
    started_at: row.started_at?.toISOString() ?? null,
    stopped_at: row.stopped_at?.toISOString() ?? null,
    plan: row.plan,
    metadata: row.metadata,
  };
}

/** The URL at which products call the engine: through the gateway if `ORCH_PUBLIC_URL` is set, else at its own port. */
const callUrl = ({ publicUrl, engineHost }: HostContext["settings"], engine: EngineRow): string =>
  publicUrl === null ? engineUrl(engineHost, backendPort(engine)) : `${publicUrl}/e/${engine.id}`;

function health(live: LiveEngine | undefined): EngineRecord["health"] {
  if (live === undefined) return { status: "unknown", last_ok_at: null, consecutive_failures: 0 };
  return {
    status: live.consecutiveFailures === 0 ? "ok" : "failing",
    last_ok_at: isoTime(live.lastOkAt),
    consecutive_failures: live.consecutiveFailures,
  };
}

function sleepOf(row: EngineRow): EngineRecord["sleep"] {
  const { state, slept_at: since, sleep_reason: reason } = row;
  if (state !== "sleeping" || since === null || reason === null) return null;
  return { since: since.toISOString(), reason };
}

const awakeOf = (row: EngineRow, live: LiveEngine | undefined): EngineRecord["awake"] => ({
  woken_by: row.woken_by,
  kept_by: live?.report?.awake ?? [],
  idle_since: live?.report?.shown.idle_since ?? null,
  learning_due_at: live?.report?.shown.learning_due_at ?? null,
});

function usage(live: LiveEngine): EngineUsage | null {
  const { usage: sample, diskBytes, activeTurns } = live;
  if (sample === null) return null;
  return {
    cpu_percent: sample.cpuPercent,
    memory_mb: Math.round(sample.memoryBytes / MIB),
    disk_mb: diskBytes === null ? null : Math.round(diskBytes / MIB),
    active_turns: activeTurns,
    work: workCounts(live),
    sampled_at: isoTime(sample.sampledAt),
  };
}

function lastActive(row: EngineRow, live: LiveEngine | undefined): string | null {
  const times = [row.last_active_at?.getTime(), live?.lastActiveAt].filter((time) => typeof time === "number");
  return times.length === 0 ? null : isoTime(Math.max(...times));
}
