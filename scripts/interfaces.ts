import { CONSOLE_HEADER } from "../src/contract/console/session-limits.ts";
import { ENGINE_ERRORS } from "../src/contract/engine/errors.ts";
import { ENGINE_KEY_HEADER } from "../src/contract/engine/headers.ts";
import { ENGINE_RESPONSES } from "../src/contract/engine/responses.ts";
import { engineErrorsOf } from "../src/contract/engine/routes.ts";
import { ENGINE_ROUTES, type EngineRoute } from "../src/contract/engine/routes.ts";
import { ORCHESTRATOR_ERRORS } from "../src/contract/orchestrator/errors.ts";
import { ADMIN_KEY_HEADER, PLATFORM_KEY_HEADER } from "../src/contract/orchestrator/headers.ts";
import { ORCHESTRATOR_RESPONSES } from "../src/contract/orchestrator/responses.ts";
import { ORCHESTRATOR_ROUTES, errorsOf } from "../src/contract/orchestrator/routes.ts";
import type { Route } from "../src/contract/orchestrator/routes/route-row.ts";
import type { Interface } from "./openapi.ts";

const engineRoutes = Object.entries<EngineRoute>(ENGINE_ROUTES);

/** The records of the routes that are published, or of those that are not. */
const recordsOf = (isPublic: boolean) =>
  new Set(
    engineRoutes
      .filter(([, { auth }]) => (auth !== "control") === isPublic)
      .flatMap(([, { responses }]) => Object.values(responses).flat())
      .flatMap((content) => ("schema" in content ? [content.schema as string] : [])),
  );

/** Control routes are not published, nor what only they answer. */
const published = recordsOf(true);
const onlyOfControl = new Set([...recordsOf(false)].filter((name) => !published.has(name)));

/** The two interfaces as their route tables and schemas describe them. */
export const INTERFACES = {
  orchestrator: {
    title: "orchd orchestrator",
    description:
      "Provisions and supervises one AI-agent engine for each user of a product. Unknown fields of a request are ignored and named in `X-Ignored-Fields`; unknown fields of a policy are refused. Every response has `X-Request-Id`.",
    routes: ORCHESTRATOR_ROUTES as Readonly<Record<string, Route>>,
    schemas: ORCHESTRATOR_RESPONSES,
    errors: ORCHESTRATOR_ERRORS,
    errorsOf,
    keys: {
      platform: [PLATFORM_KEY_HEADER, CONSOLE_HEADER],
      admin: [ADMIN_KEY_HEADER, CONSOLE_HEADER],
      admin_key: [ADMIN_KEY_HEADER],
      local: [ADMIN_KEY_HEADER, CONSOLE_HEADER],
      session: [CONSOLE_HEADER],
    },
    keyless: ["none", "local", "webhook", "sign_in"],
    path: {
      version: "The number of a version",
      server: "The tool server's name in the catalog",
      user_id: "The product's id of the user, 1 to 256 bytes",
      product_id: "Id or slug of the product",
      engine_id: "Id of the engine",
      schedule_id: "Id of the schedule",
      webhook_id: "Id of the webhook",
      endpoint_id: "Id of the endpoint",
      plan: "Name of the plan",
      secret_name: "Name of the secret",
      document_path: "Path of the document, percent-encoded, also its slashes",
      request_id: "Id of the question",
      session_id: "Id of the session",
      file: "The name of a file of the build",
    },
  } satisfies Interface<Route>,
  engine: {
    title: "orchd engine",
    description:
      "One user's AI-agent engine: turns, human-in-the-loop requests, memory. Unknown fields of a request are ignored and named in `X-Ignored-Fields`.",
    routes: Object.fromEntries(engineRoutes.filter(([, { auth }]) => auth !== "control")),
    schemas: Object.fromEntries(Object.entries(ENGINE_RESPONSES).filter(([name]) => !onlyOfControl.has(name))),
    errors: ENGINE_ERRORS,
    errorsOf: engineErrorsOf,
    keys: { engine: [ENGINE_KEY_HEADER] },
    keyless: ["none"],
    path: {
      task_id: "Id of the task, 1 to 256 bytes",
      turn_id: "Id of the turn",
      number: "The number of the request within the turn, from 1",
      line_id: "Id of a line of the profile page",
      message_id: "Id of the message, 1 to 255 characters",
      token: "What the link ends with",
    },
  } satisfies Interface<EngineRoute>,
} as const;
