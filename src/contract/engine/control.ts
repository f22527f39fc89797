import * as z from "zod/mini";
import { integer } from "../../shared/parse.ts";
import { allowedUse } from "./allowed-use.ts";
import { catalogVersion, engineKey, knowledgeVersion } from "./launch.ts";
import { modelCooldowns, modelRules } from "./models.ts";
import { SUSPENSIONS } from "../orchestrator/policy.ts";
import { field } from "../record.ts";

/** The daemon's own calls to an engine, authenticated by the token of its incarnation. */
export const CONTROL_TOKEN_HEADER = "X-Control-Token";

export const CONTROL_PATHS = {
  /** `POST {keys}`: the whole list of accepted keys. Answers `{"keys":n}`. Open streams continue. */
  keys: "/control/keys",
  /** `POST` `EngineBudgets`: replaces the budgets, at once. Answers `EngineStatus`. */
  budgets: "/control/budgets",
  /**
   * `POST {suspended}`: the product's suspension, or null. While it is suspended, what would call a model is refused with
   * 403 `POLICY_DENIED`; `now` also cancels running turns. Answers `EngineStatus`.
   */
  suspension: "/control/suspension",
  /**
   * `POST {allowed, fallback, cooldowns}`: what the policy says of models, and the models that failed for other engines of
   * the host. Answers `EngineStatus`.
   */
  models: "/control/models",
  /** `POST {agents, tools}`: what the policy says of the agents and tools that may be used. Answers `EngineStatus`. */
  allowed: "/control/allowed",
  /** `POST {hook}`: what the policy says of the product's hook on tools, or null. Answers `EngineStatus`. */
  toolHook: "/control/tool-hook",
  /**
   * `GET ?after=`: the calls after this number about which the product decides; waits for one. `POST`: what it decided, for
   * one attempt. Only the first decision counts.
   */
  hooks: "/control/hooks",
  /** `GET`: the tool servers that have logins. `POST`: how a user's login at one of them ended, for turns that wait for it. */
  logins: "/control/logins",
  /** `GET`: the open questions to people. `POST {request_id, answer}`: an answer; answers the questions that stay open. */
  questions: "/control/questions",
  /** `POST {version, digest}`: use this version of the product's catalog. Answers `{"version":n}`, or 422. */
  catalog: "/control/catalog",
  /** `POST {version, digest}`: search this version of the product's knowledge. Answers `{"version","missing"}`. */
  knowledge: "/control/knowledge",
  /** `PUT`: the file of a version that the engine cannot read where the daemon has it. */
  knowledgeFile: "/control/knowledge/{digest}",
  /** `POST`: accept no new turns (503 `ENGINE_DRAINING`). Answers `EngineStatus`. */
  drain: "/control/drain",
  /** `POST {idle_ms, notices_read}`: exit with `slept` unless there is work. Refused with 409 `ENGINE_BUSY`. Answers `EngineStatus`. */
  sleep: "/control/sleep",
  /**
   * `GET`: `EngineStatus`. `?metrics=` with the revision that the daemon has, or empty, adds the metrics; `?usage=`
   * with its position in the ledger, or empty, adds what has been spent since; `?notices=` with the number of the last
   * notice that it has stored, or empty, adds the next ones.
   */
  status: "/control/status",
  /**
   * `POST {key, request}`: start a turn once for each key, or queue its message; answers when it is stored. `GET ?key=` or
   * `?turn_id=`: its state. `DELETE ?key=`: removes a message that is queued.
   */
  turns: "/control/turns",
} as const;

export const isControlPath = (path: string | undefined): boolean => path?.startsWith("/control/") ?? false;

export const controlKeysRequest = z.object({ keys: z.array(engineKey) });
export const controlCatalogRequest = z.object(catalogVersion);
export const controlKnowledgeRequest = knowledgeVersion;
export const controlSuspensionRequest = z.object({ suspended: z.nullable(z.enum(SUSPENSIONS)) });
export const controlAllowedRequest = z.object(allowedUse);
export const controlModelsRequest = z.object({ ...modelRules, cooldowns: modelCooldowns });
export const controlSleepRequest = z.object({
  idle_ms: field(integer(0), "Refused when the last work ended less than this ago."),
  notices_read: field(
    z.optional(integer(0)),
    "The last notice of turns that the daemon has stored. Refused while the engine keeps a later one.",
  ),
  questions_read: field(
    z.optional(integer(0)),
    "The revision of the open questions that the daemon has stored. Refused while the engine has another.",
  ),
});
