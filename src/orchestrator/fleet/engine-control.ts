import * as z from "zod/mini";
import {
  CONTROL_PATHS,
  CONTROL_TOKEN_HEADER,
  type EngineStatus,
  engineMetricsReport,
} from "../../contract/engine-control.ts";
import type { EngineKey } from "../../contract/engine-launch.ts";
import { AWAKE_REASONS, type AwakeReason } from "../../contract/sleep.ts";
import { askEngine } from "./ask-engine.ts";

const CONTROL_TIMEOUT_MS = 2000;

/** An engine's address and the control token of its current incarnation. */
export interface ControlTarget {
  readonly url: string;
  readonly token: string;
}

interface ControlFailure {
  readonly kind: "failed";
  readonly reason: string;
}
export type StatusOutcome = { readonly kind: "ok"; readonly status: EngineStatus } | ControlFailure;
type SleepAnswer =
  | { readonly kind: "sleeps" }
  | { readonly kind: "refused"; readonly awake: readonly AwakeReason[] }
  | ControlFailure;
type KeysOutcome = { readonly kind: "ok" } | ControlFailure;

const count = z.int().check(z.gte(0));
const engineStatusAnswer = z.object({
  active_turns: count,
  pending_hitl: count,
  streams: count,
  draining: z.boolean(),
  last_active_at: z.nullable(z.iso.datetime()),
  idle_since: z._default(z.nullable(z.iso.datetime()), null),
  awake: z._default(z.array(z.enum(AWAKE_REASONS)), []),
  disk_bytes: z.optional(z.nullable(count)),
  metrics: z.optional(z.unknown()),
});
const busyAnswer = z.object({ details: z.object({ awake: z.array(z.enum(AWAKE_REASONS)) }) });

/** Replaces the list of keys that an engine accepts. */
export async function setEngineKeys(target: ControlTarget, keys: readonly EngineKey[]): Promise<KeysOutcome> {
  const called = await call(target, "POST", CONTROL_PATHS.keys, { keys });
  return called.kind === "failed" ? called : { kind: "ok" };
}

/** Starts the drain: the engine accepts no new turns. */
export const drainEngine = async (target: ControlTarget): Promise<StatusOutcome> =>
  asStatus(await call(target, "POST", CONTROL_PATHS.drain));

/** `known`: with the metrics, unless this is their revision; null before the first read. */
export async function engineStatus(
  target: ControlTarget,
  metrics?: { readonly known: number | null },
): Promise<StatusOutcome> {
  const query = metrics === undefined ? "" : `?metrics=${metrics.known ?? ""}`;
  return asStatus(await call(target, "GET", `${CONTROL_PATHS.status}${query}`));
}

/** Tells an engine to sleep. `refused`: it has work. After `failed` it may have decided to sleep all the same. */
export async function sleepEngine(target: ControlTarget, idleMs: number): Promise<SleepAnswer> {
  const answer = await ask(target, "POST", CONTROL_PATHS.sleep, { idle_ms: idleMs });
  if (answer.kind === "failed") return answer;
  if (answer.status === 200) return { kind: "sleeps" };
  const busy = z.safeParse(busyAnswer, answer.body);
  return { kind: "refused", awake: busy.success ? busy.data.details.awake : [] };
}

async function call(
  { url, token }: ControlTarget,
  method: "GET" | "POST",
  path: string,
  body?: unknown,
): Promise<{ readonly kind: "ok"; readonly body: unknown } | ControlFailure> {
  const answer = await ask({ url, token }, method, path, body);
  if (answer.kind === "failed") return answer;
  return answer.status === 200
    ? { kind: "ok", body: answer.body }
    : { kind: "failed", reason: `the engine answered ${answer.status} to ${method} ${path}` };
}

function ask({ url, token }: ControlTarget, method: "GET" | "POST", path: string, body?: unknown) {
  const headers = { [CONTROL_TOKEN_HEADER]: token };
  return askEngine({ url: url + path, method, headers, body, timeoutMs: CONTROL_TIMEOUT_MS });
}

function asStatus(called: Awaited<ReturnType<typeof call>>): StatusOutcome {
  if (called.kind === "failed") return called;
  const status = z.safeParse(engineStatusAnswer, called.body);
  if (!status.success) return { kind: "failed", reason: "the engine's status response is invalid" };
  const { metrics, ...rest } = status.data;
  const report = engineMetricsReport.safeParse(metrics);
  // Metrics in another form are ignored.
  return { kind: "ok", status: { ...rest, ...(report.success && { metrics: report.data }) } };
}
