import * as z from "zod/mini";
import { engineState } from "./engine.ts";
import { type RecordOf, field, nullable, record } from "../record.ts";
import { count, text, time } from "../response-schemas.ts";
import { ISOLATION_MODES } from "../settings/settings.ts";

const version = field(text, "The daemon's version.", "0.1.0");
const hostId = field(text, "The host's id. Replicas of one host have the same.", "host-a");
const uptime = field(count, "Seconds since the daemon's process started.", 86_400);
const replicaRole = field(
  z.enum(["leader", "follower"]),
  "A `follower` forwards calls to the leader, or waits to lead.",
  "leader",
);
const leader = nullable(
  text,
  "The URL or the name of the leader. `null` while it is unknown.",
  "http://127.0.0.1:7700",
);

export const daemonHealth = record("HostHealth", "The daemon's process runs and answers.", {
  status: field(z.literal("ok"), "Always `ok`."),
  version,
  host_id: hostId,
  uptime_s: uptime,
  role: replicaRole,
  leader,
});
export type DaemonHealth = RecordOf<typeof daemonHealth>;
export type ReplicaRole = DaemonHealth["role"];

export const daemonReady = record("HostReadiness", "The daemon serves calls.", {
  status: field(z.literal("ready"), "Always `ready`. A daemon that does not serve calls answers 503."),
  version,
  role: replicaRole,
  leader,
});
export type DaemonReady = RecordOf<typeof daemonReady>;

const isolationMode = z.enum(ISOLATION_MODES).check(z.meta({ title: "IsolationMode" }));
export type IsolationMode = z.output<typeof isolationMode>;

export const ISOLATION_PARTS = ["engine", "user", "tools", "network", "limits"] as const;

const isolationPart = record("IsolationPart", "One part of the isolation.", {
  name: field(
    z.enum(ISOLATION_PARTS),
    "`engine`: what the engine's process can reach. `user`: an operating-system user per engine. `tools`: what commands and tool servers can reach. `network`: which hosts they can reach. `limits`: what they can use up.",
  ),
  active: field(z.boolean(), "Whether the part holds on this host.", true),
  problem: nullable(
    text,
    "Why the part is inactive, or covers less than it could. `null` when nothing is missing.",
    null,
  ),
  fix: nullable(text, "The setting or the command that removes the problem.", null),
  detail: nullable(text, "How the part is implemented on this host.", "Landlock"),
});
export type IsolationPart = RecordOf<typeof isolationPart>;

const isolation = record("Isolation", "What keeps engines and their tools from each other and from the host.", {
  mode: field(isolationMode, "As `ORCH_ISOLATION` sets it."),
  parts: field(z.array(isolationPart), "The parts, each once."),
});
export type Isolation = RecordOf<typeof isolation>;

export const hostStatus = record("HostStatus", "The daemon's host, for operators.", {
  version,
  host_id: hostId,
  uptime_s: uptime,
  draining: field(z.boolean(), "Whether the host accepts no new engines, from `POST /admin/drain` to `/admin/resume`."),
  schedules_paused: field(
    z.boolean(),
    "Whether no schedule runs, from a restore to `POST /admin/schedules/resume`.",
    false,
  ),
  breaker: field(z.enum(["open", "closed"]), "`open` while restarts wait because many engines fail at once.", "closed"),
  engines: field(z.record(engineState, count), "The number of engines in each state."),
  awake: field(
    z.object({
      engines: field(count, "Engines with a process.", 12),
      limit: nullable(
        count,
        "The most engines that may be awake, spares included. At the limit, one must sleep before another starts. `null` is no limit.",
        80,
      ),
      engine_mb: field(
        count,
        "MiB that an awake engine takes: measured and smoothed, or expected before the first measurement.",
        60,
      ),
    }),
    "Engines that are awake.",
  ),
  boots: field(
    z.object({
      starting: field(count, "Engines that start now.", 0),
      waiting: field(count, "Engines that wait for their turn to start.", 0),
    }),
    "The queue of starts.",
  ),
  spares: field(
    z.object({
      ready: field(count, "Processes that an engine can start in at once.", 2),
      target: field(count, "How many there are to be: `ORCH_WARM_ENGINES`.", 2),
      problem: nullable(text, "Why no more are started. `null` when nothing is wrong.", null),
    }),
    "Processes that wait for the next starts of engines.",
  ),
  ports: nullable(
    z.object({
      min: field(count, "The first port: `ORCH_PORT_MIN`.", 20_000),
      max: field(count, "The last port: `ORCH_PORT_MAX`.", 29_999),
      total: field(count, "Ports from the first to the last.", 10_000),
      taken: field(count, "Ports of engines.", 42),
      free: field(count, "Ports that the next engines can take.", 9_957),
      resting: field(count, "Ports that were released, and are not reused yet.", 1),
      quarantined: field(count, "Ports on which another program was found. They are skipped for a while.", 0),
    }),
    "The ports of engines' addresses. `null` where engines have addresses of their own: in [Kubernetes](kubernetes.md).",
    { min: 20_000, max: 29_999, total: 10_000, taken: 42, free: 9_957, resting: 1, quarantined: 0 },
  ),
  load: field(
    z.object({
      average: field(z.number(), "The load average of the last minute.", 0.42),
      cores: field(count, "Processor cores.", 4),
      memory_available_mb: field(count, "MiB of memory that programs can still take.", 5_120),
      memory_total_mb: field(count, "MiB of memory.", 7_936),
      disk_free_mb: field(count, "MiB that are free where the data folder is.", 81_920),
    }),
    "What the host has, and how busy it is.",
  ),
  isolation: field(isolation, "The isolation of engines and tools on this host."),
  backup: field(
    z.object({
      every_h: nullable(z.number(), "Hours between scheduled backups. `null` without a schedule.", 24),
      newest_at: nullable(time, "When the newest backup was created. `null` without one."),
      running: field(z.boolean(), "Whether a backup runs.", false),
      problem: nullable(text, "Why the last backup failed or lacks files. `null` when nothing is wrong.", null),
    }),
    "The backups of this host.",
  ),
  orphans: field(
    z.array(
      z.object({
        incarnation: field(text, "The life of an engine that the processes belong to."),
        pids: field(z.array(count), "The processes' ids. Empty with a backend that has none.", [4711]),
        fix: field(text, "The commands that show and end them."),
      }),
    ),
    "Processes of engines without a record.",
    [],
  ),
  warnings: field(z.array(text), "What an operator should look at, in sentences.", []),
});
export type HostStatus = RecordOf<typeof hostStatus>;

const hostCheck = record("HostCheck", "One check of the daemon or its host.", {
  name: field(text, "The name of the check: one word.", "database"),
  status: field(
    z.enum(["ok", "warning", "problem"]),
    "`problem`: something does not work. `warning`: something should be improved, or will fail soon.",
    "ok",
  ),
  message: field(text, "What was found."),
  fix: nullable(text, "A command or setting that removes the problem. `null` when nothing is wrong.", null),
});
export type HostCheck = RecordOf<typeof hostCheck>;

export const hostReport = record("HostReport", "What the daemon finds when it checks itself and its host.", {
  version,
  node: field(text, "The version of Node.js.", "26.0.0"),
  settings: field(
    z.record(text, text),
    "The settings of the daemon's environment, with `(set)` instead of a value that may be a secret.",
    { ORCH_PORT: "7700" },
  ),
  checks: field(z.array(hostCheck), "The checks in the order in which they are shown."),
});
export type HostReport = RecordOf<typeof hostReport>;

export const HOST_RESPONSES = {
  DaemonHealth: daemonHealth,
  DaemonReady: daemonReady,
  HostStatus: hostStatus,
  HostReport: hostReport,
};
