import type { Request, RequestHandler } from "express";
import { PAGE_LIMIT } from "../../contract/route-table.ts";
import type { ModelRequests } from "../../contract/engine/turn.ts";
import { integerParameter, parameter } from "../../shared/http/parameters.ts";
import { InvalidInput } from "../../shared/parse.ts";
import { EngineError } from "../engine-error.ts";
import { mayReach } from "./task-bounds.ts";
import type { ModelRequestLog } from "../requests/model-request-log.ts";
import type { TurnList } from "../turns/turn-list.ts";

export interface TurnRecordParts {
  readonly turnList: Pick<TurnList, "page" | "find">;
  /** Null: the setting is off. */
  readonly requests: Pick<ModelRequestLog, "ofTurn" | "find" | "flush"> | null;
}

/** The routes that read turns and their recorded requests to models. */
export const turnRecordRoutes = ({ turnList, requests }: TurnRecordParts) =>
  ({
    listTurns(request, response) {
      const limit = integerParameter(request, "limit", PAGE_LIMIT);
      response.json(turnList.page({ taskId: parameter(request, "task_id"), before: readCursor(request), limit }));
    },
    showTurn: (request, response) => response.json(storedTurn(turnList, request)),
    async listRequests(request, response) {
      const { turn_id } = storedTurn(turnList, request);
      const found = (await requests?.ofTurn(turn_id)) ?? [];
      response.json({ turn_id, kept: requests !== null, requests: found } satisfies ModelRequests);
    },
    async showRequest(request, response) {
      const { turn_id } = storedTurn(turnList, request);
      const text = String(request.params["number"]);
      if (!/^\d{1,9}$/.test(text)) throw new InvalidInput("number", "expected the number of a request, from 1");
      const found = (await requests?.find(turn_id, Number(text))) ?? null;
      if (found === null)
        throw new EngineError("NOT_FOUND", "number: no request of this turn with this number is kept");
      response.json(found);
    },
  }) satisfies Record<string, RequestHandler>;

function storedTurn(turnList: TurnRecordParts["turnList"], request: Request) {
  const turn = turnList.find(String(request.params["turn_id"]));
  if (turn === null || !mayReach(request, turn.task_id)) throw new EngineError("NOT_FOUND", "no turn has this id");
  return turn;
}

function readCursor(request: Request): number | null {
  const cursor = parameter(request, "cursor");
  if (cursor === undefined) return null;
  if (!/^\d{1,15}$/.test(cursor)) throw new InvalidInput("cursor", "expected the next_cursor of the previous page");
  return Number(cursor);
}
