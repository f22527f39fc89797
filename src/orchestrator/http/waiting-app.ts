import express, { type Express } from "express";
import type { Logger } from "../../shared/logger.ts";
import { ApiError } from "../api-error.ts";
import type { Readiness } from "../status/readiness.ts";
import { identifyRequest } from "./app.ts";
import { assertOwnHost } from "./authenticate.ts";
import { errorResponder } from "./error-responder.ts";
import { type HealthParts, healthRoutes } from "./health-routes.ts";

/** What answers until there is a database to ask: how the daemon is, and to all else that it has to wait. */
export function createWaitingApp(
  readiness: Readiness,
  { startedAt, host, logger }: HealthParts & { host: string; logger: Logger },
): Express {
  const app = express().disable("x-powered-by").disable("etag");
  app.use(identifyRequest);
  for (const [name, handler] of Object.entries(healthRoutes(readiness, { startedAt }))) {
    app.get(`/${name}`, async (request, response) => {
      assertOwnHost(host, request);
      const { status, body } = await handler();
      response.status(status).json(body);
    });
  }
  app.use(() => {
    readiness.assertServes("write");
    throw new ApiError("SERVICE_UNAVAILABLE", "orchd is starting", { retryAfterS: 1 });
  });
  app.use(errorResponder(logger, () => null));
  return app;
}
