import type { Request, RequestHandler } from "express";
import type { StartedTurn } from "../../contract/engine/turn.ts";
import { TURN_WAIT_MS, startTurnRequest } from "../../contract/engine/started-turn.ts";
import { delay } from "../../shared/clock.ts";
import { Deadline } from "../../shared/deadline.ts";
import { integerParameter, parameter } from "../../shared/http/parameters.ts";
import { traceOf } from "../../shared/http/trace-request.ts";
import { validateBody } from "../../shared/http/validate-body.ts";
import { unknownAgent } from "../tasks/task-changer.ts";
import { findEarlier } from "./earlier-turn.ts";
import type { ExecuteParts } from "./execute-route.ts";
import { bodyHash } from "./store-message.ts";

type StartedTurnParts = Pick<ExecuteParts, "runner" | "intake" | "inbox" | "idempotency" | "hasAgent">;

/** Interval at which a turn is polled while a call waits for its next state. */
const POLL_MS = 50;
/** Keys are pruned after a day, and the daemon looks up no older one. */
const ANY_AGE = 0;

/**
 * Routes for turns that the daemon starts for schedules and webhooks, without a stream. Replay has their events. The key
 * is the id of the message, which waits while its task has a turn.
 */
export const startedTurnRoutes = (parts: StartedTurnParts) =>
  ({
    startTurn(request, response) {
      const { key, request: execution } = validateBody(startTurnRequest, request.body, response);
      const { agent, task_id: taskId } = execution;
      const hash = bodyHash(execution);
      const message = { taskId, messageId: key, bodyHash: hash, whenBusy: "queue", interrupt: false } as const;
      const earlier = findEarlier(parts.idempotency, key, hash);
      const found = earlier === null ? waitingOrTaken(parts, message) : (parts.runner.find(earlier) ?? gone(earlier));
      if (found !== null) {
        response.json(found);
        return;
      }
      if (agent !== undefined && !parts.hasAgent(agent)) throw unknownAgent("agent", agent);
      const alongside = (turnId: string) => parts.idempotency.insert(key, { bodyHash: hash, turnId }, Date.now());
      const sent = parts.intake.send(execution, message, { alongside, from: { kind: "call", ...traceOf(response) } });
      if (sent.kind === "started") sent.turn.run();
      response.json(sent.kind === "started" ? parts.runner.find(sent.turn.turnId) : QUEUED);
    },
    async findTurn(request, response) {
      const end = new Deadline(integerParameter(request, "wait_ms", TURN_WAIT_MS));
      let turn = lookUp(parts, request);
      const first = turn?.state;
      const waits = () => turn?.state === first && (first === "running" || first === "queued");
      while (waits() && !end.isOver && !response.destroyed) {
        await delay(POLL_MS);
        turn = lookUp(parts, request);
      }
      response.json({ turn });
    },
    withdrawTurn(request, response) {
      const { key = "", taskId = "" } = keyOf(request);
      const turn = lookUp(parts, request);
      if (turn?.state === "queued") parts.inbox.remove(taskId, key);
      response.json({ turn: turn?.state === "queued" ? null : turn });
    },
  }) satisfies Record<string, RequestHandler>;

const keyOf = (request: Request) => ({ key: parameter(request, "key"), taskId: parameter(request, "task_id") });

function lookUp(parts: StartedTurnParts, request: Request): StartedTurn | null {
  const { key, taskId } = keyOf(request);
  if (key === undefined) return parts.runner.find(parameter(request, "turn_id") ?? "");
  const started = parts.idempotency.find(key, ANY_AGE)?.turnId;
  if (started !== undefined) return parts.runner.find(started);
  return taskId === undefined ? null : waitingOrTaken(parts, { taskId, messageId: key });
}

/** The state of a message by its id; null when there is none. */
function waitingOrTaken(
  { inbox, runner }: StartedTurnParts,
  message: { readonly taskId: string; readonly messageId: string; readonly bodyHash?: string },
): StartedTurn | null {
  const fate = inbox.find(message);
  if (fate === null) return null;
  if (fate.turnId !== null) return runner.find(fate.turnId) ?? gone(fate.turnId);
  return fate.state === "waiting" ? QUEUED : { ...QUEUED, state: "errored", error: "MESSAGE_REMOVED" };
}

const QUEUED: StartedTurn = { turn_id: null, state: "queued", error: null, request_id: null };
/** The stored turn was erased. */
const gone = (turnId: string): StartedTurn => ({
  turn_id: turnId,
  state: "errored",
  error: "NOT_FOUND",
  request_id: null,
});
