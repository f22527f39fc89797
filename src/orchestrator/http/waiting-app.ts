import express, { type Express } from "express";
import { ORCHESTRATOR_ROUTES } from "../../contract/orchestrator-routes.ts";
import { expressPath } from "../../contract/route-table.ts";
import type { Logger } from "../../shared/logger.ts";
import { ApiError } from "../api-error.ts";
import type { Readiness } from "../status/readiness.ts";
import { identifyRequest } from "./app.ts";
import { assertOwnHost } from "./admit-caller.ts";
import { type OpenRoutesParts, openRoutes } from "./open-routes.ts";
import { errorResponder } from "./error-responder.ts";
import type { OwnSite } from "./own-site.ts";

interface WaitingAppParts extends OpenRoutesParts {
  readonly site: OwnSite;
  readonly logger: Logger;
}

/** Serves until the database is there: health, readiness, the documents and the console; 503 to every other call. */
export function createWaitingApp(readiness: Readiness, { site, logger, ...open }: WaitingAppParts): Express {
  const app = express().disable("x-powered-by").disable("etag");
  app.use(identifyRequest);
  const handlers = openRoutes(readiness, open);
  for (const name of Object.keys(handlers) as (keyof typeof handlers)[]) {
    app.get(expressPath(ORCHESTRATOR_ROUTES[name].path), async (request, response) => {
      assertOwnHost(site, request);
      const params = request.params as Readonly<Record<string, string>>;
      const answer = await handlers[name]({ response, params });
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
