import * as z from "zod/mini";
import { ENGINE_STATES } from "./engine-states.ts";
import { type RecordOf, extended, field, nullable, record, page } from "../record.ts";
import { count, jsonObject, text, time } from "../response-schemas.ts";
import { AWAKE_REASONS, SLEEP_REASONS, WAKE_REASONS } from "../engine/sleep.ts";

export const engineState = z.enum(ENGINE_STATES).check(z.meta({ title: "EngineState" }));

const lastError = record("LastError", "Why an engine last failed.", {
  phase: field(z.enum(["boot", "run", "stop"]), "What it was doing.", "run"),
  reason: field(text, "The cause, for people.", "out of memory: killed by the kernel"),
  exit_code: nullable(z.int(), "The process's exit code. `null` when a signal ended it.", null),
  signal: nullable(text, "The signal that ended the process.", "SIGKILL"),
  oom: field(z.boolean(), "Whether it ran out of memory.", true),
  log_tail: field(z.array(text), "The last lines of its log.", []),
  at: field(time, "When it failed."),
});
export type LastError = RecordOf<typeof lastError>;

const usage = record("EngineUsage", "What an engine and its tools use now, sampled every 5 s.", {
  cpu_percent: nullable(
    z.number(),
    "Per cent of one core, over the last seconds. `null` until there are two samples.",
    12.5,
  ),
  memory_mb: field(count, "MiB of the engine and its tools.", 31),
  disk_mb: nullable(
    count,
    "MiB of its folder, measured about once a minute while it is active. `null` before that.",
    12,
  ),
  active_turns: nullable(count, "Turns that run or wait for a person, as of the last health probe.", 1),
  work: nullable(
    z.object({
      turns: field(count, "Turns that ended.", 7),
      failed_turns: field(count, "Turns that ended with an error.", 0),
      tokens: field(count, "Input and output tokens of the models.", 18_230),
    }),
    "Since its process started, read about once a minute and at each probe while turns run. `null` until then.",
  ),
  sampled_at: field(time, "When the sample was taken."),
});
export type EngineUsage = RecordOf<typeof usage>;

const apiKey = z.object({
  prefix: field(text, "The key's first characters.", "sk-orch-4f"),
  last4: field(text, "The key's last characters.", "x9Qm"),
  created_at: field(time, "When the key was created."),
  previous_expires_at: nullable(time, "Until when the key before it is accepted too.", null),
});

const health = z.object({
  status: field(z.enum(["unknown", "ok", "failing"]), "The outcome of the last probes.", "ok"),
  last_ok_at: nullable(time, "When a probe last succeeded."),
  consecutive_failures: field(count, "Probes that have failed since.", 0),
});

export const engineRecord = record("EngineRecord", "An engine.", {
  id: field(text, "The engine's id.", "eng_01jd3v8k2m"),
  product_id: field(text, "The product's id.", "prd_01jd3v7xq4"),
  user_id: field(text, "The product's id of the user.", "alice"),
  state: field(engineState, "The state now.", "running"),
  running: field(z.boolean(), "Whether the state is `running` or `unhealthy`.", true),
  desired_state: field(z.enum(["running", "stopped", "destroyed"]), "The state that calls asked for.", "running"),
  port: nullable(
    count,
    "The port of its address. It can change when another program takes it. `null` where engines have no ports of the host: in [Kubernetes](kubernetes.md).",
    20_000,
  ),
  url: field(text, "The address of the engine's own API.", "http://127.0.0.1:20000"),
  incarnation: field(
    text,
    "Identifies one life of the process: each start has a new one.",
    "b0c1f4f2-6f0e-4a52-9c83-5f5f7c1a2f10",
  ),
  pid: nullable(count, "The process's id.", 4711),
  version: nullable(text, "The version that the process runs.", "0.1.0"),
  api_key: field(apiKey, "The parts of the engine's key that identify it."),
  health: field(health, "What health probes found."),
  restarts: field(
    z.object({
      count: field(count, "Restarts within the window.", 0),
      window_started_at: nullable(time, "When the window of counted restarts began.", null),
      next_at: nullable(time, "When the next restart is due.", null),
    }),
    "Restarts after crashes.",
  ),
  usage: nullable(usage, "`null` without a process, and before its first sample."),
  catalog: nullable(
    z.object({
      version: nullable(count, "The version that its process uses. `null` while it is not known.", 12),
      error: nullable(text, "Why it does not use the current one.", null),
    }),
    "The version of the product's catalog that it uses. `null` without a process.",
  ),
  last_error: nullable(lastError, "Its last failure.", null),
  sleep: nullable(
    z.object({
      since: field(time, "Since when it sleeps."),
      reason: field(z.enum(SLEEP_REASONS), "Why. `capacity`: another engine needed its place.", "idle"),
    }),
    "`null` unless the engine is `sleeping`.",
    null,
  ),
  awake: nullable(
    z.object({
      woken_by: nullable(z.enum(WAKE_REASONS), "What woke it. `null` when it was started otherwise.", "call"),
      kept_by: field(z.array(z.enum(AWAKE_REASONS)), "Its work, as it last reported it, at most a minute ago.", []),
      idle_since: nullable(time, "When its last work ended. `null` while it has work, and before its first report."),
      learning_due_at: nullable(
        time,
        "When its next learning batch is due; it runs earlier when the engine is to sleep. `null` without one.",
        null,
      ),
    }),
    "`null` unless the engine is `running`.",
  ),
  open_questions: field(
    count,
    "Questions and permission prompts that its turns wait for, as it last reported them.",
    0,
  ),
  stop_reason: nullable(text, "Why the engine is stopped.", null),
  last_active_at: nullable(time, "When it last had work."),
  created_at: field(time, "When it was provisioned."),
  started_at: nullable(time, "When its process started."),
  stopped_at: nullable(time, "When its process ended.", null),
  plan: nullable(text, "The [plan](plans.md) of the engine.", "pro"),
  metadata: field(jsonObject, "The object that `provision` stored.", { team: "blue" }),
});
export type EngineRecord = RecordOf<typeof engineRecord>;

const engineKey = "The engine's key, returned once. `null` for an engine that existed, and in a repeated response.";

export const engineWithKey = extended(engineRecord, "EngineWithKey", "An engine with its key.", {
  engine_api_key: nullable(text, engineKey, "sk-orch-4f0a…"),
});

export const engineKeyRotated = extended(engineRecord, "EngineKeyRotated", "An engine with its new key.", {
  engine_api_key: nullable(text, "The new key, returned once. `null` in a repeated response.", "sk-orch-77be…"),
  previous_key_expires_at: field(time, "Until when the key before it is accepted too."),
});

const STOP_RESULTS = ["drained", "cut_off", "killed"] as const;
export type StopResult = (typeof STOP_RESULTS)[number];

export const engineStopped = extended(engineRecord, "EngineStopped", "An engine that was stopped.", {
  stop_result: field(
    z.enum(STOP_RESULTS),
    "How its running turns ended: by themselves, cut off at the end of `drain_s`, or with its process, which was killed.",
    "drained",
  ),
});

export const engineDestroyed = z.object({
  destroyed: field(z.literal(true), "The process has ended, the port is free, and the data is gone unless it is kept."),
});

export const ENGINE_RECORD_RESPONSES = {
  EngineRecord: engineRecord,
  EngineWithKey: engineWithKey,
  EngineKeyRotated: engineKeyRotated,
  EngineStopped: engineStopped,
  EnginePage: page(engineRecord, "Engines by id."),
  EngineDestroyed: engineDestroyed,
};
