import express, { type Express } from "express";
import { ORCHESTRATOR_ROUTES } from "../../contract/orchestrator/routes.ts";
import { expressPath } from "../../contract/route-table.ts";
import type { Logger } from "../../shared/logger.ts";
import { ApiError } from "../api-error.ts";
import type { Metrics } from "../status/metrics.ts";
import type { Readiness } from "../status/readiness.ts";
import { identifyRequest } from "./app.ts";
import { assertOwnHost, authenticateLocal } from "./admit-caller.ts";
import { type OpenRoutesParts, openRoutes } from "./open-routes.ts";
import { errorResponder } from "./error-responder.ts";
import type { OriginCheck } from "./origin-check.ts";
import { type LeaderProxy, isForwarded } from "./forward-to-leader.ts";

interface WaitingAppParts extends OpenRoutesParts {
  readonly site: OriginCheck;
  readonly adminKey: string;
  readonly leaderProxy: LeaderProxy;
  readonly metrics: Metrics;
  readonly logger: Logger;
}

/**
 * Serves until this daemon leads: health, readiness, the documents, the console and its metrics. A follower passes every other call on
 * to the leader; without one the answer is 503.
 */
export function createWaitingApp(readiness: Readiness, parts: WaitingAppParts): Express {
  const { site, adminKey, leaderProxy, metrics, logger, ...open } = parts;
  const app = express().disable("x-powered-by").disable("etag").set("query parser", "simple");
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
  app.get(ORCHESTRATOR_ROUTES.metrics.path, async (request, response) => {
    authenticateLocal({ adminKey, site }, request);
    response.set("Content-Type", metrics.contentType).send(await metrics.ownText(await readiness.hasDatabase()));
  });
  app.use(async (request, response) => {
    if (readiness.phase !== "following" || isForwarded(request)) readiness.assertServes("write");
    const outcome = await leaderProxy.forward({ request, response });
    metrics.replicaCalls.inc({ outcome });
    if (outcome === "lost") throw new ApiError("LEADER_LOST", "the leader ended during the call, which may have run");
    if (outcome === "missing")
      throw new ApiError("SERVICE_UNAVAILABLE", "no orchd leads this host now", { retryAfterS: 1 });
  });
  app.use(errorResponder(logger, () => null));
  return app;
}
