import { MAX_BUDGETS_BYTES, engineBudgets } from "./budgets.ts";
import {
  CONTROL_PATHS,
  controlAllowedRequest,
  controlCatalogRequest,
  controlKeysRequest,
  controlKnowledgeRequest,
  controlModelsRequest,
  controlSleepRequest,
  controlSuspensionRequest,
} from "./control.ts";
import { MAX_KNOWLEDGE_FILE_BYTES } from "./knowledge-result.ts";
import { MAX_MODELS_BYTES } from "./models.ts";
import { ENGINE_BODY_BYTES, hitlRespondRequest } from "./requests.ts";
import { type EngineRoute, control } from "./route-row.ts";
import { controlLoginRequest } from "./tool-login.ts";
import { HOOK_WAIT_MS, MAX_HOOK_ANSWER_BYTES, answerHookRequest, setToolHookRequest } from "./tool-hook.ts";
import { TURN_WAIT_MS, startTurnRequest } from "./started-turn.ts";
import { type Parameter, ok } from "../route-table.ts";

const TURN_KEY = {
  key: { kind: "text", summary: "The key that started it" },
  task_id: { kind: "text", summary: "With `key`: its task. Without, only a turn that has started is found" },
} as const satisfies Record<string, Parameter>;

/** The daemon's own calls of an engine. */
export const ENGINE_CONTROL_ROUTES = {
  setKeys: control(`POST ${CONTROL_PATHS.keys}`, "Replace the accepted engine keys", {
    request: controlKeysRequest,
    responses: ok("KeysAccepted"),
  }),
  setBudgets: control(`POST ${CONTROL_PATHS.budgets}`, "Replace the budgets", {
    request: engineBudgets,
    maxBodyBytes: MAX_BUDGETS_BYTES,
    responses: ok("EngineStatus"),
  }),
  setSuspension: control(`POST ${CONTROL_PATHS.suspension}`, "Suspend the product, or end its suspension", {
    request: controlSuspensionRequest,
    responses: ok("EngineStatus"),
  }),
  setModels: control(`POST ${CONTROL_PATHS.models}`, "Say which models are allowed, fall back and cool down", {
    request: controlModelsRequest,
    maxBodyBytes: MAX_MODELS_BYTES,
    responses: ok("EngineStatus"),
  }),
  setAllowed: control(`POST ${CONTROL_PATHS.allowed}`, "Say which agents and tools may be used", {
    request: controlAllowedRequest,
    responses: ok("EngineStatus"),
  }),
  setToolHook: control(`POST ${CONTROL_PATHS.toolHook}`, "Say whether the product decides about calls of tools", {
    request: setToolHookRequest,
    responses: ok("EngineStatus"),
  }),
  hookedCalls: control(`GET ${CONTROL_PATHS.hooks}`, "Calls of tools about which the product decides", {
    query: {
      after: { kind: "text", summary: "The last number that the daemon has read. Empty for all that wait" },
      wait_ms: HOOK_WAIT_MS,
    },
    responses: ok("HookedCalls"),
  }),
  answerHook: control(`POST ${CONTROL_PATHS.hooks}`, "What the product decided about a call", {
    request: answerHookRequest,
    maxBodyBytes: MAX_HOOK_ANSWER_BYTES,
    responses: ok("HookAnswered"),
  }),
  loginTargets: control(`GET ${CONTROL_PATHS.logins}`, "Tool servers to which users sign in", {
    responses: ok("LoginTargets"),
  }),
  loginEnded: control(`POST ${CONTROL_PATHS.logins}`, "How a login at a tool server ended", {
    request: controlLoginRequest,
    responses: ok("EngineStatus"),
  }),
  openQuestions: control(`GET ${CONTROL_PATHS.questions}`, "The open questions to people", {
    responses: ok("QuestionReport"),
  }),
  answerQuestion: control(`POST ${CONTROL_PATHS.questions}`, "Answer an open question", {
    request: hitlRespondRequest,
    maxBodyBytes: ENGINE_BODY_BYTES.respond,
    responses: ok("QuestionReport"),
    errors: ["POLICY_DENIED", "HITL_NOT_FOUND", "HITL_ALREADY_ANSWERED"],
  }),
  setCatalog: control(`POST ${CONTROL_PATHS.catalog}`, "Use a version of the product's catalog", {
    request: controlCatalogRequest,
    responses: ok("CatalogVersionUsed"),
    errors: ["CATALOG_INVALID"],
  }),
  setKnowledge: control(`POST ${CONTROL_PATHS.knowledge}`, "Search a version of the product's knowledge", {
    request: controlKnowledgeRequest,
    responses: ok("KnowledgeVersionUsed"),
  }),
  putKnowledge: control(
    `PUT ${CONTROL_PATHS.knowledgeFile}`,
    "Store the file of a version of the product's knowledge",
    {
      requestBytes: true,
      maxBodyBytes: MAX_KNOWLEDGE_FILE_BYTES,
      responses: ok("KnowledgeVersionUsed"),
    },
  ),
  drain: control(`POST ${CONTROL_PATHS.drain}`, "Take no new turns", { responses: ok("EngineStatus") }),
  sleep: control(`POST ${CONTROL_PATHS.sleep}`, "Exit until the next call, unless there is work", {
    request: controlSleepRequest,
    responses: ok("EngineStatus"),
    errors: ["ENGINE_BUSY"],
  }),
  status: control(`GET ${CONTROL_PATHS.status}`, "Turns, requests, streams and what keeps it awake", {
    query: {
      metrics: {
        kind: "text",
        summary: "Adds the metrics, unless this is their revision. Empty for the first read",
      },
      usage: {
        kind: "text",
        summary: "Adds the usage after this `ledger:revision`, if there is any. Empty for the first read",
      },
      notices: {
        kind: "text",
        summary:
          "Adds the notices after this number, if there are any, and forgets the others. Empty for the first read",
      },
    },
    responses: ok("EngineStatus"),
  }),
  startTurn: control(`POST ${CONTROL_PATHS.turns}`, "Start a turn once for each key, now or when its task is idle", {
    request: startTurnRequest,
    maxBodyBytes: ENGINE_BODY_BYTES.execute,
    responses: ok("StartedTurn"),
    errors: ["POLICY_DENIED", "NOT_FOUND", "IDEMPOTENCY_CONFLICT", "INBOX_FULL", "ENGINE_DRAINING"],
  }),
  withdrawTurn: control(`DELETE ${CONTROL_PATHS.turns}`, "Remove the message of a turn that has not started", {
    query: TURN_KEY,
    responses: ok("FoundTurn"),
  }),
  findTurn: control(`GET ${CONTROL_PATHS.turns}`, "A turn that the daemon started, or null", {
    query: {
      ...TURN_KEY,
      turn_id: { kind: "text", summary: "Its id" },
      wait_ms: TURN_WAIT_MS,
    },
    responses: ok("FoundTurn"),
  }),
} as const satisfies Record<string, EngineRoute>;
