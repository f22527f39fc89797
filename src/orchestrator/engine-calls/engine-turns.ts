import * as z from "zod/mini";
import type { Effort } from "../../contract/engine/model-choice.ts";
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
  readonly model?: string;
  readonly effort?: Effort;
  readonly metadata: Readonly<Record<string, string>>;
}

/** A turn that has begun. */
export interface BegunTurn extends StartedTurn {
  readonly turn_id: string;
  readonly state: Exclude<StartedTurn["state"], "queued">;
}

type StartOutcome =
  | { readonly kind: "started"; readonly turn: BegunTurn }
  /** The message waits in the inbox of its task, which has another turn. */
  | { readonly kind: "queued" }
  /** The call may be retried: the engine drains or did not answer, or one of an earlier release has another turn. */
  | { readonly kind: "later"; readonly reason: string }
  | { readonly kind: "refused"; readonly reason: string };

type FindOutcome =
  | { readonly kind: "found"; readonly turn: BegunTurn }
  | { readonly kind: "queued" }
  /** Somebody has removed the message. */
  | { readonly kind: "removed" }
  | { readonly kind: "unknown" }
  | { readonly kind: "failed"; readonly reason: string };

const refusal = z.object({ error: z.string(), message: z.string() });
const found = z.object({ turn: z.nullable(startedTurn) });
/** Errors that pass without a change of the request. Before another try the daemon reads the product's policy. */
const TRANSIENT = ["TASK_BUSY", "POLICY_DENIED", "ENGINE_DRAINING", "SERVICE_UNAVAILABLE", "INTERNAL_ERROR"];

/** What the policy does not allow the turn that it names, so that another try is refused too. */
const OF_THE_REQUEST = /^(?:agent|model): /;

/** Starts a turn once for each key, now or when its task is idle, and does not wait for its end. */
export async function startTurn(
  target: ControlTarget,
  { key, request }: { readonly key: string; readonly request: TurnToStart },
): Promise<StartOutcome> {
  const answer = await ask(target, { method: "POST", body: { key, request }, timeoutMs: START_TIMEOUT_MS });
  if (answer.kind === "failed") return { kind: "later", reason: answer.reason };
  const started = z.safeParse(startedTurn, answer.body);
  if (answer.status === 200 && started.success) {
    const state = stateOf(started.data);
    return state.kind === "removed"
      ? { kind: "refused", reason: REMOVED }
      : state.kind === "queued"
        ? state
        : { kind: "started", turn: state.turn };
  }
  const refused = z.safeParse(refusal, answer.body);
  const { error, message } = refused.success
    ? refused.data
    : { error: "INTERNAL_ERROR", message: `the engine answered ${answer.status}` };
  const isLater = TRANSIENT.includes(error) && !OF_THE_REQUEST.test(message);
  return { kind: isLater ? "later" : "refused", reason: `${error}: ${message}` };
}

export const REMOVED = "its message was removed from the inbox of the task";

function stateOf(turn: StartedTurn): Extract<FindOutcome, { kind: "found" | "queued" | "removed" }> {
  const { turn_id, state } = turn;
  if (state === "queued") return { kind: "queued" };
  return turn_id === null ? { kind: "removed" } : { kind: "found", turn: { ...turn, turn_id, state } };
}

/** Removes a message that waits. Returns what a search by its key returns afterwards. */
export async function withdrawTurn(target: ControlTarget, by: TurnKey): Promise<FindOutcome> {
  const query = new URLSearchParams({ ...by }).toString();
  return read(await ask(target, { method: "DELETE", query: `?${query}`, timeoutMs: FIND_TIMEOUT_MS }));
}

/** The key of a message, and its task. */
interface TurnKey {
  readonly key: string;
  readonly task_id: string;
}

/**
 * A turn by the key that started it or by its id. Waits up to `waitMs` while it runs or its message waits, unless the
 * signal ends the wait.
 */
export async function findTurn(
  target: ControlTarget,
  by: TurnKey | { readonly turn_id: string },
  { waitMs = 0, signal }: { readonly waitMs?: number; readonly signal?: AbortSignal } = {},
): Promise<FindOutcome> {
  const query = new URLSearchParams({ ...by, wait_ms: String(waitMs) }).toString();
  const answer = await ask(target, { method: "GET", query: `?${query}`, timeoutMs: waitMs + FIND_TIMEOUT_MS, signal });
  return read(answer);
}

function read(answer: Awaited<ReturnType<typeof ask>>): FindOutcome {
  if (answer.kind === "failed") return answer;
  const body = z.safeParse(found, answer.body);
  if (answer.status !== 200 || !body.success)
    return { kind: "failed", reason: `the engine answered ${answer.status} for ${CONTROL_PATHS.turns}` };
  return body.data.turn === null ? { kind: "unknown" } : stateOf(body.data.turn);
}

const ask = (
  { url, token }: ControlTarget,
  {
    query = "",
    ...call
  }: {
    readonly method: "GET" | "POST" | "DELETE";
    readonly query?: string;
    readonly body?: unknown;
    readonly timeoutMs: number;
    readonly signal?: AbortSignal | undefined;
  },
) => askEngine({ url: url + CONTROL_PATHS.turns + query, headers: { [CONTROL_TOKEN_HEADER]: token }, ...call });
