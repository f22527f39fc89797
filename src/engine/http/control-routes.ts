import type { RequestHandler } from "express";
import { CONTROL_TOKEN_HEADER, type EngineStatus, controlKeysRequest } from "../../contract/engine-control.ts";
import { sameSecret } from "../../contract/api-keys.ts";
import { NO_SUCH_ROUTE } from "../../shared/http/unknown-route.ts";
import { AUTHENTICATED } from "../../shared/http/unauthenticated-connections.ts";
import { EngineError } from "../engine-error.ts";
import type { TurnRunner } from "../turns/turn-runner.ts";
import type { AcceptedKeys } from "../turns/accepted-keys.ts";
import { validateBody } from "../../shared/http/validate-body.ts";

/** The daemon's own calls carry the token of this incarnation. To anybody else they do not exist. */
export function controlOnly(token: string): RequestHandler {
  return (request, _response, next) => {
    if (!sameSecret(request.get(CONTROL_TOKEN_HEADER) ?? "", token)) throw new EngineError("NOT_FOUND", NO_SUCH_ROUTE);
    request.socket.emit(AUTHENTICATED);
    next();
  };
}

/** Replaces the accepted keys: the next call is measured by them, open streams go on. */
export const keysRoute =
  (keys: AcceptedKeys): RequestHandler =>
  (request, response) => {
    keys.replace(validateBody(controlKeysRequest, request.body, response).keys);
    response.json({ keys: keys.size });
  };

export const drainRoute =
  (runner: TurnRunner, status: () => EngineStatus): RequestHandler =>
  (_request, response) => {
    runner.drain();
    response.json(status());
  };

export const statusRoute =
  (status: () => EngineStatus): RequestHandler =>
  (_request, response) => {
    response.json(status());
  };
