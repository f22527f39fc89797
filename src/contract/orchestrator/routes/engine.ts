import { provisionRequest, rotateKeyRequest, sleepRequest, startRequest, stopRequest } from "../requests.ts";
import type { OrchestratorErrorCode } from "../errors.ts";
import { LOG_TAIL } from "../log-tail.ts";
import { type IntegerParameter, PAGE, json, ok } from "../../route-table.ts";
import { HISTORY, IDEMPOTENCY, LARGE_BODY_BYTES, LAST_EVENT, type Route, STATE, platform } from "./route-row.ts";

export const WAIT_TIMEOUT_S: IntegerParameter = {
  kind: "integer",
  min: 0,
  max: 600,
  fallback: 60,
  summary: "How long to wait, in seconds",
};
const ENGINE_STARTS = [
  "POLICY_DENIED",
  "OPERATION_IN_PROGRESS",
  "BACKEND_ERROR",
  "PORT_EXHAUSTION",
  "CAPACITY_EXHAUSTED",
  "BOOT_TIMEOUT",
] as const satisfies readonly OrchestratorErrorCode[];

/** A product's engines and their events. */
export const USER_ENGINE_ROUTES = {
  provisionEngine: platform("POST /engines/provision", "Create an engine", {
    role: "operator",
    headers: IDEMPOTENCY,
    request: provisionRequest,
    maxBodyBytes: LARGE_BODY_BYTES,
    timeout: "boot",
    responses: { 201: [json("EngineWithKey")] },
    errors: [...ENGINE_STARTS, "PRODUCT_NOT_FOUND", "ENGINE_ALREADY_EXISTS", "QUOTA_EXCEEDED"],
  }),
  admitEngine: platform(
    "POST /engines/admit",
    "Create an engine, or return the existing one, started if it is stopped and woken if it sleeps",
    {
      role: "operator",
      headers: IDEMPOTENCY,
      request: provisionRequest,
      maxBodyBytes: LARGE_BODY_BYTES,
      looksUpFirst: true,
      timeout: "boot",
      responses: { 200: [json("EngineWithKey")], 201: [json("EngineWithKey")] },
      errors: [...ENGINE_STARTS, "PRODUCT_NOT_FOUND", "QUOTA_EXCEEDED"],
    },
  ),
  listEngines: platform("GET /engines", "List engines", {
    role: "viewer",
    query: { ...PAGE, state: STATE },
    responses: ok("EnginePage"),
  }),
  showEngine: platform("GET /engines/{user_id}", "Get an engine", {
    role: "viewer",
    query: {
      auto_provision: { kind: "flag", role: "operator", summary: "Create the engine when there is none (201)" },
    },
    responses: { 200: [json("EngineRecord")], 201: [json("EngineWithKey")] },
    errors: ["ENGINE_NOT_FOUND", ...ENGINE_STARTS, "PRODUCT_NOT_FOUND", "QUOTA_EXCEEDED"],
  }),
  destroyEngine: platform("DELETE /engines/{user_id}", "Destroy an engine and the user's data", {
    role: "admin",
    query: { keep_data: { kind: "flag", summary: "Keep the engine's folder" } },
    timeout: "boot",
    responses: ok("EngineDestroyed"),
    errors: ["POLICY_DENIED", "ENGINE_NOT_FOUND", "OPERATION_IN_PROGRESS", "BACKEND_ERROR"],
  }),
  startEngine: platform("POST /engines/{user_id}/start", "Start an engine", {
    clientMethod: "start",
    role: "operator",
    headers: IDEMPOTENCY,
    request: startRequest,
    timeout: "boot",
    responses: ok("EngineRecord"),
    errors: ["ENGINE_NOT_FOUND", "ENGINE_ALREADY_RUNNING", ...ENGINE_STARTS],
  }),
  stopEngine: platform("POST /engines/{user_id}/stop", "Stop an engine", {
    role: "operator",
    headers: IDEMPOTENCY,
    request: stopRequest,
    timeout: "boot",
    responses: ok("EngineStopped"),
    errors: ["POLICY_DENIED", "ENGINE_NOT_FOUND", "ENGINE_NOT_RUNNING", "OPERATION_IN_PROGRESS", "BACKEND_ERROR"],
  }),
  sleepEngine: platform("POST /engines/{user_id}/sleep", "Put an engine to sleep until its next call", {
    clientMethod: "sleep",
    role: "operator",
    headers: IDEMPOTENCY,
    request: sleepRequest,
    timeout: "boot",
    responses: ok("EngineRecord"),
    errors: [
      "POLICY_DENIED",
      "ENGINE_NOT_FOUND",
      "ENGINE_NOT_RUNNING",
      "ENGINE_BUSY",
      "OPERATION_IN_PROGRESS",
      "BACKEND_ERROR",
    ],
  }),
  rotateEngineKey: platform("POST /engines/{user_id}/rotate-key", "Replace the engine's key", {
    clientMethod: "rotateKey",
    role: "operator",
    headers: IDEMPOTENCY,
    request: rotateKeyRequest,
    repeatable: false,
    timeout: "boot",
    responses: ok("EngineKeyRotated"),
    errors: ["POLICY_DENIED", "ENGINE_NOT_FOUND", "ENGINE_NOT_RUNNING", "OPERATION_IN_PROGRESS", "BACKEND_ERROR"],
  }),
  waitForEngine: platform("GET /engines/{user_id}/wait", "Wait until the engine reaches a state", {
    role: "viewer",
    query: { state: { ...STATE, fallback: "running", summary: "The state to wait for" }, timeout_s: WAIT_TIMEOUT_S },
    responses: ok("EngineRecord"),
    errors: ["ENGINE_NOT_FOUND", "BOOT_TIMEOUT"],
  }),
  engineLogs: platform("GET /engines/{user_id}/logs", "Read the engine's log as plain text", {
    role: "viewer",
    query: { tail: LOG_TAIL, follow: { kind: "flag", summary: "Stream each new line" } },
    responses: { 200: [{ kind: "text" }] },
    errors: ["ENGINE_NOT_FOUND", "CAPACITY_EXHAUSTED"],
  }),
  engineEvents: platform(
    "GET /engines/{user_id}/events",
    "List the events of a user's engines, or follow them as a stream",
    { role: "viewer", query: PAGE, headers: LAST_EVENT, responses: { 200: HISTORY }, errors: ["CAPACITY_EXHAUSTED"] },
  ),
  events: platform("GET /events", "List the events of the product, or follow them as a stream", {
    role: "viewer",
    query: PAGE,
    headers: LAST_EVENT,
    responses: { 200: HISTORY },
    errors: ["CAPACITY_EXHAUSTED"],
  }),
} satisfies Record<string, Route>;
