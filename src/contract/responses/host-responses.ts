import * as z from "zod/mini";
import type { BackupList, BackupRun } from "../backup-records.ts";
import { ENGINE_STATES } from "../engine-states.ts";
import { type HostReport, type HostStatus, ISOLATION_PARTS } from "../host-records.ts";
import { count, text, textOrNull, time } from "../response-schemas.ts";
import { ISOLATION_MODES } from "../settings.ts";

export const hostStatus = z.object({
  version: text,
  host_id: text,
  uptime_s: count,
  draining: z.boolean(),
  breaker: z.enum(["open", "closed"]),
  engines: z.record(z.enum(ENGINE_STATES), count),
  awake: z.object({ engines: count, limit: z.nullable(count) }),
  boots: z.object({ starting: count, waiting: count }),
  spares: z.object({ ready: count, target: count, problem: textOrNull }),
  ports: z.object({
    min: count,
    max: count,
    total: count,
    taken: count,
    free: count,
    resting: count,
    quarantined: count,
  }),
  load: z.object({
    average: z.number(),
    cores: count,
    memory_available_mb: count,
    memory_total_mb: count,
    disk_free_mb: count,
  }),
  isolation: z.object({
    mode: z.enum(ISOLATION_MODES),
    parts: z.array(
      z.object({
        name: z.enum(ISOLATION_PARTS),
        active: z.boolean(),
        problem: textOrNull,
        fix: textOrNull,
        detail: textOrNull,
      }),
    ),
  }),
  backup: z.object({
    every_h: z.nullable(z.number()),
    newest_at: z.nullable(time),
    running: z.boolean(),
    problem: textOrNull,
  }),
  orphans: z.array(z.object({ incarnation: text, pids: z.array(count), fix: text })),
  warnings: z.array(text),
}) satisfies z.ZodMiniType<HostStatus>;

export const backupRun = z.object({
  name: text,
  started_at: time,
  ended_at: z.nullable(time),
  outcome: z.nullable(z.enum(["created", "failed"])),
  bytes: count,
  engines: z.object({ done: count, total: count }),
  incomplete: z.array(text),
  reason: textOrNull,
}) satisfies z.ZodMiniType<BackupRun>;

export const backupList = z.object({
  dir: text,
  data: z.array(z.object({ name: text, created_at: time, bytes: count, encrypted: z.boolean() })),
  running: z.nullable(backupRun),
  last: z.nullable(backupRun),
}) satisfies z.ZodMiniType<BackupList>;

export const hostReport = z.object({
  version: text,
  node: text,
  settings: z.record(text, text),
  checks: z.array(
    z.object({ name: text, status: z.enum(["ok", "warning", "problem"]), message: text, fix: textOrNull }),
  ),
}) satisfies z.ZodMiniType<HostReport>;
