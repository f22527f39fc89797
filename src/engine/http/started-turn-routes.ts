import type { RequestHandler } from "express";
import { TURN_WAIT_MS, startTurnRequest } from "../../contract/engine/started-turn.ts";
import { delay } from "../../shared/clock.ts";
import { Deadline } from "../../shared/deadline.ts";
import { integerParameter, parameter } from "../../shared/http/parameters.ts";
import { traceOf } from "../../shared/http/trace-request.ts";
import { validateBody } from "../../shared/http/validate-body.ts";
import { EngineError } from "../engine-error.ts";
import { type TurnRouteParts, findEarlier } from "./turn-routes.ts";
import { bodyHash } from "./store-message.ts";

/** Interval at which a turn is polled while a call waits for its end. */
const POLL_MS = 50;
/** Keys are pruned after a day, and the daemon looks up no older one. */
const ANY_AGE = 0;

/** Routes for turns that the daemon starts for schedules and webhooks, without a stream. Replay has their events. */
export const startedTurnRoutes = (parts: Pick<TurnRouteParts, "runner" | "idempotency" | "hasAgent">) =>
  ({
    startTurn(request, response) {
      const { key, request: execution } = validateBody(startTurnRequest, request.body, response);
      const hash = bodyHash(execution);
      const earlier = findEarlier(parts, key, hash);
      if (earlier !== null) {
        const gone = { turn_id: earlier, state: "errored", error: "NOT_FOUND", request_id: null } as const;
        response.json(parts.runner.find(earlier) ?? gone);
        return;
      }
      const { agent } = execution;
      if (agent !== undefined && !parts.hasAgent(agent))
        throw new EngineError(
          "NOT_FOUND",
          `agent: there is no agent named ${agent}; GET /assets/catalog lists the agents`,
        );
      const storeKey = (turnId: string) => parts.idempotency.insert(key, { bodyHash: hash, turnId }, Date.now());
      const turn = parts.runner.start(execution, storeKey, { kind: "call", ...traceOf(response) });
      turn.run();
      response.json(parts.runner.find(turn.turnId));
    },
    async findTurn(request, response) {
      const key = parameter(request, "key");
      const turnId =
        key === undefined
          ? (parameter(request, "turn_id") ?? "")
          : (parts.idempotency.find(key, ANY_AGE)?.turnId ?? "");
      const end = new Deadline(integerParameter(request, "wait_ms", TURN_WAIT_MS));
      let turn = parts.runner.find(turnId);
      while (turn?.state === "running" && !end.isOver && !response.destroyed) {
        await delay(POLL_MS);
        turn = parts.runner.find(turnId);
      }
      response.json({ turn });
    },
  }) satisfies Record<string, RequestHandler>;
