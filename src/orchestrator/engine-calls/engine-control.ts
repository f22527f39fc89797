import * as z from "zod/mini";
import { CONTROL_PATHS, CONTROL_TOKEN_HEADER, type controlCatalogRequest } from "../../contract/engine/control.ts";
import { type EngineStatus, engineMetricsReport } from "../../contract/engine/status.ts";
import { type EmbeddingsHealth, embeddingsHealth } from "../../contract/engine/health.ts";
import { type EngineBudgets, budgetReport } from "../../contract/engine/budgets.ts";
import type { AllowedUse } from "../../contract/engine/allowed-use.ts";
import { type ModelCooldown, type ModelRules, modelCooldowns } from "../../contract/engine/models.ts";
import type { EngineKey } from "../../contract/engine/launch.ts";
import type { Suspension } from "../../contract/orchestrator/policy.ts";
import { type UsageCursor, formatCursor, usageReport } from "../../contract/engine/metered-usage.ts";
import { turnNoticeReport } from "../../contract/engine/turn-notice.ts";
import { AWAKE_REASONS, type AwakeReason } from "../../contract/engine/sleep.ts";
import { untrustedText } from "../../shared/untrusted-text.ts";
import { askEngine } from "./ask-engine.ts";

const CONTROL_TIMEOUT_MS = 2000;
/** Loading a large catalog on a busy host takes longer than other calls. */
const CATALOG_TIMEOUT_MS = 15_000;
const MAX_REASON = 500;

/** An engine's address and the control token of its current incarnation. */
export interface ControlTarget {
  readonly url: string;
  readonly token: string;
}

interface ControlFailure {
  readonly kind: "failed";
  readonly reason: string;
  /** Of an answer that is a refusal. */
  readonly status?: number;
}
export type StatusOutcome = { readonly kind: "ok"; readonly status: EngineStatus } | ControlFailure;
type SleepAnswer =
  /** Null when its answer cannot be read. */
  | { readonly kind: "sleeps"; readonly status: EngineStatus | null }
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
  idle_ms: z.optional(z.nullable(count)),
  learning_due_at: z.optional(z.nullable(z.iso.datetime())),
  awake: z._default(z.array(z.enum(AWAKE_REASONS)), []),
  disk_bytes: z.optional(z.nullable(count)),
  usage_revision: z.optional(count),
  budgets: z.optional(z.unknown()),
  metrics: z.optional(z.unknown()),
  usage: z.optional(z.unknown()),
  embeddings: z.optional(z.unknown()),
  cooldowns: z.optional(z.unknown()),
  last_notice: z.optional(z.nullable(count)),
  notices: z.optional(z.unknown()),
  questions_revision: z.optional(count),
});
const flatError = z.object({ message: z.string() });
const busyAnswer = z.object({ details: z.object({ awake: z.array(z.enum(AWAKE_REASONS)) }) });

/** Replaces the list of keys that an engine accepts. */
export async function setEngineKeys(target: ControlTarget, keys: readonly EngineKey[]): Promise<KeysOutcome> {
  const called = await call(target, "POST", CONTROL_PATHS.keys, { keys });
  return called.kind === "failed" ? called : { kind: "ok" };
}

/** Replaces the budgets that an engine enforces. */
export const setEngineBudgets = async (target: ControlTarget, budgets: EngineBudgets): Promise<StatusOutcome> =>
  asStatus(await call(target, "POST", CONTROL_PATHS.budgets, budgets));

/** Tells an engine that its product is suspended, or with null that it no longer is. */
export async function setEngineSuspension(
  target: ControlTarget,
  suspended: Suspension | null,
): Promise<{ readonly kind: "ok" | "unsupported" } | ControlFailure> {
  const answer = await ask(target, "POST", CONTROL_PATHS.suspension, { suspended });
  if (answer.kind === "failed") return answer;
  if (answer.status === 200) return { kind: "ok" };
  // An engine of an earlier release has no such call.
  if (answer.status === 404) return { kind: "unsupported" };
  return { kind: "failed", reason: `the engine answered ${answer.status} to POST ${CONTROL_PATHS.suspension}` };
}

/** Tells an engine which models are allowed, fall back and cool down. */
export async function setEngineModels(
  target: ControlTarget,
  models: ModelRules & { readonly cooldowns: readonly ModelCooldown[] },
): Promise<{ readonly kind: "ok" | "unsupported" } | ControlFailure> {
  const answer = await ask(target, "POST", CONTROL_PATHS.models, models);
  if (answer.kind === "failed") return answer;
  if (answer.status === 200) return { kind: "ok" };
  // An engine of an earlier release has no such call.
  if (answer.status === 404) return { kind: "unsupported" };
  return { kind: "failed", reason: `the engine answered ${answer.status} to POST ${CONTROL_PATHS.models}` };
}

/** Tells an engine which agents and tools may be used. */
export async function setEngineAllowed(
  target: ControlTarget,
  allowed: AllowedUse,
): Promise<{ readonly kind: "ok" | "unsupported" } | ControlFailure> {
  const answer = await ask(target, "POST", CONTROL_PATHS.allowed, allowed);
  if (answer.kind === "failed") return answer;
  if (answer.status === 200) return { kind: "ok" };
  // An engine of an earlier release has no such call.
  if (answer.status === 404) return { kind: "unsupported" };
  return { kind: "failed", reason: `the engine answered ${answer.status} to POST ${CONTROL_PATHS.allowed}` };
}

/** `refused`: the version conflicts with the engine's own files. */
type CatalogOutcome = { readonly kind: "ok" } | { readonly kind: "refused"; readonly reason: string } | ControlFailure;

/** Replaces the version of the product's catalog that an engine uses. */
export async function setEngineCatalog(
  target: ControlTarget,
  catalog: z.output<typeof controlCatalogRequest>,
): Promise<CatalogOutcome> {
  const answer = await ask(target, "POST", CONTROL_PATHS.catalog, catalog, CATALOG_TIMEOUT_MS);
  if (answer.kind === "failed") return answer;
  if (answer.status === 200) return { kind: "ok" };
  const refusal = z.safeParse(flatError, answer.body);
  if (answer.status === 422 && refusal.success)
    return { kind: "refused", reason: untrustedText(refusal.data.message, MAX_REASON) };
  // An engine of an earlier release has no such call.
  if (answer.status === 404) return { kind: "failed", reason: "the engine is of an earlier release; restart it" };
  return { kind: "failed", reason: `the engine answered ${answer.status} to POST ${CONTROL_PATHS.catalog}` };
}

/** Starts the drain: the engine accepts no new turns. */
export const drainEngine = async (target: ControlTarget): Promise<StatusOutcome> =>
  asStatus(await call(target, "POST", CONTROL_PATHS.drain));

/** How far the daemon has read an engine's reports; null before the first read. An omitted report is not requested. */
interface KnownReports {
  readonly metrics?: number | null;
  readonly usage?: UsageCursor | null;
  /** The last notice of turns that is stored; 0 before the first. */
  readonly notices?: number;
}

/** An engine's status, with the new part of its reports. */
export async function engineStatus(target: ControlTarget, known: KnownReports = {}): Promise<StatusOutcome> {
  const { metrics, usage, notices } = known;
  const query = [
    ...(metrics === undefined ? [] : [`metrics=${metrics ?? ""}`]),
    ...(usage === undefined ? [] : [`usage=${formatCursor(usage)}`]),
    ...(notices === undefined ? [] : [`notices=${notices || ""}`]),
  ];
  return asStatus(
    await call(target, "GET", `${CONTROL_PATHS.status}${query.length === 0 ? "" : `?${query.join("&")}`}`),
  );
}

/** Asks an engine to sleep. `refused`: it has work, or notices or questions that were not read. After `failed` the engine may still have decided to sleep. */
export async function sleepEngine(
  target: ControlTarget,
  {
    idleMs,
    noticesRead,
    questionsRead,
  }: { readonly idleMs: number; readonly noticesRead: number; readonly questionsRead: number | null },
): Promise<SleepAnswer> {
  const answer = await ask(target, "POST", CONTROL_PATHS.sleep, {
    idle_ms: idleMs,
    notices_read: noticesRead,
    // Engines of earlier releases report none.
    ...(questionsRead !== null && { questions_read: questionsRead }),
  });
  if (answer.kind === "failed") return answer;
  if (answer.status === 200) {
    const last = asStatus({ kind: "ok", body: answer.body });
    return { kind: "sleeps", status: last.kind === "ok" ? last.status : null };
  }
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
    : { kind: "failed", reason: `the engine answered ${answer.status} to ${method} ${path}`, status: answer.status };
}

function ask(
  { url, token }: ControlTarget,
  method: "GET" | "POST",
  path: string,
  body?: unknown,
  timeoutMs = CONTROL_TIMEOUT_MS,
) {
  return askEngine({ url: url + path, method, headers: { [CONTROL_TOKEN_HEADER]: token }, body, timeoutMs });
}

function asStatus(called: Awaited<ReturnType<typeof call>>): StatusOutcome {
  if (called.kind === "failed") return called;
  const status = z.safeParse(engineStatusAnswer, called.body);
  if (!status.success) return { kind: "failed", reason: "the engine's status response is invalid" };
  const { metrics, usage, budgets, cooldowns, notices, embeddings, ...rest } = status.data;
  const failing = modelCooldowns.safeParse(cooldowns);
  const held = budgetReport.safeParse(budgets);
  const [counted, spent] = [engineMetricsReport.safeParse(metrics), usageReport.safeParse(usage)];
  const told = turnNoticeReport.safeParse(notices);
  const embedded = embeddingsHealth.safeParse(embeddings);
  // Reports in another form are ignored.
  const reports = {
    ...(counted.success && { metrics: counted.data }),
    ...(spent.success && { usage: spent.data }),
    ...(held.success && { budgets: held.data }),
    ...(failing.success && { cooldowns: failing.data }),
    ...(told.success && { notices: told.data }),
    ...(embedded.success && { embeddings: readEmbeddings(embedded.data) }),
  };
  return { kind: "ok", status: { ...rest, ...reports } };
}

const readEmbeddings = ({ waiting, last_error: error }: EmbeddingsHealth): EmbeddingsHealth => ({
  waiting,
  last_error: error === null ? null : untrustedText(error, MAX_REASON),
});
