import { setImmediate } from "node:timers/promises";
import type { Readable } from "node:stream";
import type { RequestHandler } from "express";
import type * as z from "zod/mini";
import {
  CONTROL_TOKEN_HEADER,
  controlAllowedRequest,
  controlCatalogRequest,
  controlKeysRequest,
  controlKnowledgeRequest,
  controlModelsRequest,
  controlSleepRequest,
  controlSuspensionRequest,
} from "../../contract/engine/control.ts";
import type { EngineStatus } from "../../contract/engine/status.ts";
import type { TurnNoticeReport } from "../../contract/engine/turn-notice.ts";
import { type UsageCursor, type UsageReport, parseCursor } from "../../contract/engine/metered-usage.ts";
import { type EngineBudgets, engineBudgets } from "../../contract/engine/budgets.ts";
import type { Suspension } from "../../contract/orchestrator/policy.ts";
import { sameSecret } from "../../contract/orchestrator/api-keys.ts";
import { NO_SUCH_ROUTE } from "../../shared/http/refusal.ts";
import { AUTHENTICATED } from "../../shared/http/unauthenticated-connections.ts";
import { parameter } from "../../shared/http/parameters.ts";
import { EngineError } from "../engine-error.ts";
import type { Wakefulness } from "../sleep/wakefulness.ts";
import type { EngineCounters } from "../telemetry/engine-counters.ts";
import type { TurnRunner } from "../turns/turn-runner.ts";
import type { AcceptedKeys } from "../turns/accepted-keys.ts";
import type { CatalogVersionUsed } from "../../contract/engine/catalog.ts";
import { type Reloaded, refusal } from "./reload-refusal.ts";
import { validateBody } from "../../shared/http/validate-body.ts";

export interface ControlParts {
  readonly keys: AcceptedKeys;
  readonly runner: TurnRunner;
  readonly status: () => EngineStatus;
  readonly telemetry: { readonly counters: EngineCounters };
  /** Reports the metered usage since a position in the ledger. */
  readonly meter: { report(known: UsageCursor | null): UsageReport | undefined };
  /** What the daemon has not read yet of turns; it has stored those up to `read`. */
  readonly notices: { report(read: number): TurnNoticeReport | undefined; readonly last: number | null };
  readonly setBudgets: (budgets: EngineBudgets) => void;
  readonly setModels: (models: z.output<typeof controlModelsRequest>) => void;
  readonly setAllowed: (allowed: z.output<typeof controlAllowedRequest>) => void;
  readonly suspend: (suspended: Suspension | null) => void;
  readonly wakefulness: Pick<Wakefulness, "sleep">;
  readonly knowledge: {
    use(version: z.output<typeof controlKnowledgeRequest>): Promise<boolean>;
    receive(digest: string, content: Readable): Promise<void>;
  };
  readonly setCatalog: (version: z.output<typeof controlCatalogRequest>) => Promise<Reloaded<CatalogVersionUsed>>;
}

/** Control routes require the token of this incarnation. Other callers get the 404 of an unknown route. */
export function controlOnly(token: string): RequestHandler {
  return (request, _response, next) => {
    if (!sameSecret(request.get(CONTROL_TOKEN_HEADER) ?? "", token)) throw new EngineError("NOT_FOUND", NO_SUCH_ROUTE);
    request.socket.emit(AUTHENTICATED);
    next();
  };
}

/** The control routes. Replaced keys apply from the next call; open streams continue. */
export const controlRoutes = ({
  keys,
  runner,
  status,
  telemetry,
  meter,
  notices,
  setBudgets,
  setModels,
  setAllowed,
  suspend,
  wakefulness,
  setCatalog,
  knowledge,
}: ControlParts) =>
  ({
    setKeys(request, response) {
      keys.replace(validateBody(controlKeysRequest, request.body, response).keys);
      response.json({ keys: keys.size });
    },
    setBudgets(request, response) {
      setBudgets(validateBody(engineBudgets, request.body, response));
      response.json(status());
    },
    setSuspension(request, response) {
      const { suspended } = validateBody(controlSuspensionRequest, request.body, response);
      suspend(suspended);
      response.json(status());
    },
    setModels(request, response) {
      setModels(validateBody(controlModelsRequest, request.body, response));
      response.json(status());
    },
    setAllowed(request, response) {
      setAllowed(validateBody(controlAllowedRequest, request.body, response));
      response.json(status());
    },
    async setCatalog(request, response) {
      const outcome = await setCatalog(validateBody(controlCatalogRequest, request.body, response));
      if (outcome.kind === "refused")
        throw refusal("CATALOG_INVALID", "the previous version stays active", outcome.problems);
      response.json(outcome.answer);
    },
    async setKnowledge(request, response) {
      const version = validateBody(controlKnowledgeRequest, request.body, response);
      const isThere = await knowledge.use(version);
      response.json({ version: version.version, missing: !isThere });
    },
    async putKnowledge(request, response) {
      const named = { version: 0, digest: request.params["digest"] };
      const { digest } = validateBody(controlKnowledgeRequest, named, response);
      await knowledge.receive(digest ?? "", request);
      response.json({ version: 0, missing: false });
    },
    drain(_request, response) {
      runner.drain();
      response.json(status());
    },
    async sleep(request, response) {
      const body = validateBody(controlSleepRequest, request.body, response);
      const { idle_ms: idleMs, notices_read: read, questions_read: shown } = body;
      // Lets requests that other connections have received start first.
      await setImmediate();
      // The product would learn of a turn only after the next wake.
      if (read !== undefined && (notices.last ?? 0) > read)
        throw new EngineError("ENGINE_BUSY", "a turn has just ended or begun to wait", { awake: ["recent_work"] });
      // The daemon lists the questions of an engine that sleeps.
      if (shown !== undefined && status().questions_revision !== shown)
        throw new EngineError("ENGINE_BUSY", "a question was just asked or answered", { awake: ["recent_work"] });
      const awake = wakefulness.sleep(idleMs, request.socket);
      if (awake.length > 0)
        throw new EngineError("ENGINE_BUSY", `the engine has work: ${awake.join(", ")}`, { awake: [...awake] });
      response.set("Connection", "close").json(status());
    },
    status(request, response) {
      const known = parameter(request, "metrics");
      const metrics = known === undefined ? undefined : telemetry.counters.report(known === "" ? null : Number(known));
      const spent = parameter(request, "usage");
      const report = spent === undefined ? undefined : meter.report(parseCursor(spent));
      const read = parameter(request, "notices");
      const told = read === undefined ? undefined : notices.report(/^\d{1,15}$/.test(read) ? Number(read) : 0);
      response.json({
        ...status(),
        ...(metrics !== undefined && { metrics }),
        ...(report !== undefined && { usage: report }),
        ...(told !== undefined && { notices: told }),
      });
    },
  }) satisfies Record<string, RequestHandler>;
