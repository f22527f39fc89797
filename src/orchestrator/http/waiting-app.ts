import express, { type Express } from "express";
import { ORCHESTRATOR_ROUTES } from "../../contract/orchestrator-routes.ts";
import type { Logger } from "../../shared/logger.ts";
import { ApiError } from "../api-error.ts";
import type { Readiness } from "../status/readiness.ts";
import { identifyRequest } from "./app.ts";
import { assertOwnHost } from "./admit-caller.ts";
import { type OpenRoutesParts, openRoutes } from "./open-routes.ts";
import { errorResponder } from "./error-responder.ts";

interface WaitingAppParts extends OpenRoutesParts {
  /** Where the daemon listens. */
  readonly host: string;
  readonly logger: Logger;
}

/** Serves until the database is there: health, readiness and the documents; 503 to every other call. */
export function createWaitingApp(readiness: Readiness, { host, logger, ...open }: WaitingAppParts): Express {
  const app = express().disable("x-powered-by").disable("etag");
  app.use(identifyRequest);
  const handlers = openRoutes(readiness, open);
  for (const name of Object.keys(handlers) as (keyof typeof handlers)[]) {
    app.get(ORCHESTRATOR_ROUTES[name].path, async (request, response) => {
      assertOwnHost(host, request);
      const answer = await handlers[name]({ response });
      if (answer !== undefined) response.status(answer.status).json(answer.body);
    });
  }
  app.use(() => {
    readiness.assertServes("write");
    throw new ApiError("SERVICE_UNAVAILABLE", "orchd is starting", { retryAfterS: 1 });
  });
  app.use(errorResponder(logger, () => null));
  return app;
}
