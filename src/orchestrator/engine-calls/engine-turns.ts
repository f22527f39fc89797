import * as z from "zod/mini";
import { CONTROL_PATHS, CONTROL_TOKEN_HEADER } from "../../contract/engine/control.ts";
import { type StartedTurn, startedTurn } from "../../contract/engine/turn.ts";
import { askEngine } from "./ask-engine.ts";
import type { ControlTarget } from "./engine-control.ts";

/** The engine answers after it has stored the turn on its disk. */
const START_TIMEOUT_MS = 5000;
const FIND_TIMEOUT_MS = 2000;

export interface TurnToStart {
  readonly message: string;
  readonly task_id: string;
  readonly agent?: string;
  readonly metadata: Readonly<Record<string, string>>;
}

type StartOutcome =
  | { readonly kind: "started"; readonly turn: StartedTurn }
  /** The call may be retried: the task has another turn, the engine drains or did not answer. */
  | { readonly kind: "later"; readonly reason: string }
  | { readonly kind: "refused"; readonly reason: string };

type FindOutcome =
  | { readonly kind: "found"; readonly turn: StartedTurn }
  | { readonly kind: "unknown" }
  | { readonly kind: "failed"; readonly reason: string };

const refusal = z.object({ error: z.string(), message: z.string() });
const found = z.object({ turn: z.nullable(startedTurn) });
/** Errors that pass without a change of the request. Before another try the daemon reads the product's policy. */
const TRANSIENT = ["TASK_BUSY", "POLICY_DENIED", "ENGINE_DRAINING", "SERVICE_UNAVAILABLE", "INTERNAL_ERROR"];

/** Starts a turn once for each key, and does not wait for its end. */
export async function startTurn(
  target: ControlTarget,
  { key, request }: { readonly key: string; readonly request: TurnToStart },
): Promise<StartOutcome> {
  const answer = await ask(target, { method: "POST", body: { key, request }, timeoutMs: START_TIMEOUT_MS });
  if (answer.kind === "failed") return { kind: "later", reason: answer.reason };
  const started = z.safeParse(startedTurn, answer.body);
  if (answer.status === 200 && started.success) return { kind: "started", turn: started.data };
  const refused = z.safeParse(refusal, answer.body);
  const { error, message } = refused.success
    ? refused.data
    : { error: "INTERNAL_ERROR", message: `the engine answered ${answer.status}` };
  return { kind: TRANSIENT.includes(error) ? "later" : "refused", reason: `${error}: ${message}` };
}

/** A turn by the key that started it or by its id. Waits up to `waitMs` while it runs, unless the signal ends the wait. */
export async function findTurn(
  target: ControlTarget,
  by: { readonly key: string } | { readonly turn_id: string },
  { waitMs = 0, signal }: { readonly waitMs?: number; readonly signal?: AbortSignal } = {},
): Promise<FindOutcome> {
  const query = new URLSearchParams({ ...by, wait_ms: String(waitMs) }).toString();
  const answer = await ask(target, { method: "GET", query: `?${query}`, timeoutMs: waitMs + FIND_TIMEOUT_MS, signal });
  if (answer.kind === "failed") return answer;
  const body = z.safeParse(found, answer.body);
  if (answer.status !== 200 || !body.success)
    return { kind: "failed", reason: `the engine answered ${answer.status} to GET ${CONTROL_PATHS.turns}` };
  return body.data.turn === null ? { kind: "unknown" } : { kind: "found", turn: body.data.turn };
}

const ask = (
  { url, token }: ControlTarget,
  {
    query = "",
    ...call
  }: {
    readonly method: "GET" | "POST";
    readonly query?: string;
    readonly body?: unknown;
    readonly timeoutMs: number;
    readonly signal?: AbortSignal | undefined;
  },
) => askEngine({ url: url + CONTROL_PATHS.turns + query, headers: { [CONTROL_TOKEN_HEADER]: token }, ...call });
