import * as z from "zod/mini";
import { untilExit } from "../../shared/background.ts";
import { delay } from "../../shared/clock.ts";
import { askEngine } from "./ask-engine.ts";
import type { EngineExit } from "../fleet/engine-backend.ts";

/** The identity that must answer. Another program or an earlier incarnation on the port is not healthy. */
interface ExpectedIdentity {
  readonly engineId: string;
  readonly incarnation: string;
}

type ProbeVerdict =
  | {
      readonly kind: "ok";
      readonly version: string | null;
      readonly activeTurns: number | null;
      /** When a call of a model last failed. */
      readonly modelFailedAt: string | null;
    }
  | { readonly kind: "wrong_identity" }
  | { readonly kind: "failed"; readonly reason: string };

export type BootVerdict =
  | { readonly kind: "healthy"; readonly version: string | null }
  | { readonly kind: "exited"; readonly exit: EngineExit }
  | { readonly kind: "timed_out"; readonly lastProblem: string }
  /** Another program answers on the engine's port. */
  | { readonly kind: "wrong_identity" }
  | { readonly kind: "aborted" };

const BOOT_PROBE_TIMEOUT_MS = 1000;
const LAST_PROBE_TIMEOUT_MS = 250;
const FIRST_POLL_MS = 2;
const LAST_POLL_MS = 100;
/** Each wait is this share of the elapsed time, so that polling adds at most 10 % to a boot. */
const POLL_SHARE = 0.1;
const WRONG_IDENTITY_TIMEOUT_MS = 2000;

const identityAnswer = z.object({ engine_id: z.string(), incarnation: z.string() });
/** Strict, because the engine is not trusted and its answers are stored and shown to operators. */
const healthAnswer = z.object({
  status: z.string().check(z.regex(/^[a-z_]{1,32}$/)),
  version: z.optional(z.string().check(z.regex(/^[\w.+-]{1,64}$/))),
  active_turns: z.optional(z.int().check(z.gte(0))),
});

const modelAnswer = z.object({ model: z.object({ last_error_at: z.string().check(z.maxLength(40)) }) });

/** Probes an engine's health once. Never rejects. */
export async function probeOnce(
  url: string,
  {
    engineId,
    incarnation,
    timeoutMs,
    signal,
  }: ExpectedIdentity & { readonly timeoutMs: number; readonly signal?: AbortSignal },
): Promise<ProbeVerdict> {
  const answer = await askEngine({ url: `${url}/health`, timeoutMs, signal });
  if (answer.kind === "failed") return answer;
  const identity = z.safeParse(identityAnswer, answer.body);
  if (!identity.success) {
    // Our engines always report their identity, except in an internal error.
    return answer.status >= 500 ? { kind: "failed", reason: `status ${answer.status}` } : { kind: "wrong_identity" };
  }
  const { engine_id, incarnation: present } = identity.data;
  if (engine_id !== engineId || present !== incarnation) return { kind: "wrong_identity" };
  const health = z.safeParse(healthAnswer, answer.body);
  if (!health.success) {
    return { kind: "failed", reason: `its health response has an invalid ${health.error.issues[0]?.path.join(".")}` };
  }
  const { status, version, active_turns } = health.data;
  if (answer.status !== 200 || status !== "ok") return { kind: "failed", reason: `status ${answer.status}, ${status}` };
  const failed = z.safeParse(modelAnswer, answer.body);
  const modelFailedAt = failed.success ? failed.data.model.last_error_at : null;
  return { kind: "ok", version: version ?? null, activeTurns: active_turns ?? null, modelFailedAt };
}

/** Probes a booting engine until it is healthy, has exited or timed out, or another program keeps answering on its port. */
export async function awaitHealthy({
  url,
  engineId,
  incarnation,
  exited,
  deadlineMs,
  signal,
}: ExpectedIdentity & {
  readonly url: string;
  readonly exited: Promise<EngineExit>;
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
}): Promise<BootVerdict> {
  const start = performance.now();
  const processExit = new AbortController();
  let exit: EngineExit = { code: null, signal: null, oom: false };
  const noted = exited.then((result) => {
    exit = result;
    processExit.abort();
  });
  untilExit("exit of a booting engine", noted);
  const ended = AbortSignal.any([processExit.signal, signal]);
  let last: ProbeVerdict = { kind: "failed", reason: "it was not probed" };
  let wrongSince: number | null = null;
  // At once: where the engine's socket is held, the probe waits there until the engine answers.
  for (let late = false; !ended.aborted;) {
    const leftMs = Math.ceil(start + deadlineMs - performance.now());
    // Probed once more after the deadline, since this process itself may have been stalled.
    if (late) return { kind: "timed_out", lastProblem: problemOf(last) };
    late = leftMs <= 0;
    const timeoutMs = late ? LAST_PROBE_TIMEOUT_MS : Math.min(BOOT_PROBE_TIMEOUT_MS, leftMs);
    const probe = await probeOnce(url, { engineId, incarnation, timeoutMs, signal: ended });
    if (ended.aborted) break;
    if (probe.kind === "ok") return { kind: "healthy", version: probe.version };
    last = probe;
    const waitedMs = performance.now() - start;
    wrongSince = probe.kind === "wrong_identity" ? (wrongSince ?? waitedMs) : null;
    if (wrongSince !== null && waitedMs - wrongSince >= WRONG_IDENTITY_TIMEOUT_MS) return { kind: "wrong_identity" };
    await delay(Math.min(Math.max(waitedMs * POLL_SHARE, FIRST_POLL_MS), LAST_POLL_MS), ended);
  }
  if (signal.aborted) return { kind: "aborted" };
  // An engine exits when its port is taken, so the other program is the cause.
  return last.kind === "wrong_identity" ? last : { kind: "exited", exit };
}

const problemOf = (probe: ProbeVerdict): string =>
  probe.kind === "failed" ? probe.reason : "another program answers on its port";
