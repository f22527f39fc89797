import { provisionRequest, rotateKeyRequest, sleepRequest, startRequest, stopRequest } from "../orchestrator-api.ts";
import type { OrchestratorErrorCode } from "../orchestrator-errors.ts";
import { type IntegerParameter, json, ok } from "../route-table.ts";
import { HISTORY, IDEMPOTENCY, LARGE_BODY_BYTES, LAST_EVENT, PAGE, type Route, STATE, platform } from "./route-row.ts";

export const WAIT_TIMEOUT_S: IntegerParameter = {
  kind: "integer",
  min: 0,
  max: 600,
  fallback: 60,
  summary: "How long to wait, in seconds",
};
export const LOG_TAIL: IntegerParameter = {
  kind: "integer",
  min: 0,
  max: 10_000,
  fallback: 200,
  summary: "How many of the last lines",
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
export const ENGINE_ROUTES = {
  provisionEngine: platform("POST /engines/provision", "Create an engine", {
    headers: IDEMPOTENCY,
    request: provisionRequest,
    maxBodyBytes: LARGE_BODY_BYTES,
    responses: { 201: [json("EngineWithKey")] },
    errors: [...ENGINE_STARTS, "PRODUCT_NOT_FOUND", "ENGINE_ALREADY_EXISTS", "QUOTA_EXCEEDED"],
  }),
  admitEngine: platform("POST /engines/admit", "Create or return an engine", {
    headers: IDEMPOTENCY,
    request: provisionRequest,
    maxBodyBytes: LARGE_BODY_BYTES,
    responses: { 200: [json("EngineWithKey")], 201: [json("EngineWithKey")] },
    errors: [...ENGINE_STARTS, "PRODUCT_NOT_FOUND", "QUOTA_EXCEEDED"],
  }),
  listEngines: platform("GET /engines", "List engines", {
    query: { ...PAGE, state: STATE },
    responses: ok("EnginePage"),
  }),
  showEngine: platform("GET /engines/{user_id}", "One engine", {
    query: { auto_provision: { kind: "flag", changes: true, summary: "Create the engine when there is none (201)" } },
    responses: { 200: [json("EngineRecord")], 201: [json("EngineWithKey")] },
    errors: ["ENGINE_NOT_FOUND", ...ENGINE_STARTS, "PRODUCT_NOT_FOUND", "QUOTA_EXCEEDED"],
  }),
  destroyEngine: platform("DELETE /engines/{user_id}", "Destroy an engine", {
    query: { keep_data: { kind: "flag", summary: "Keep the engine's folder" } },
    responses: ok("EngineDestroyed"),
    errors: ["POLICY_DENIED", "ENGINE_NOT_FOUND", "OPERATION_IN_PROGRESS", "BACKEND_ERROR"],
  }),
  startEngine: platform("POST /engines/{user_id}/start", "Start an engine", {
    headers: IDEMPOTENCY,
    request: startRequest,
    responses: ok("EngineRecord"),
    errors: ["ENGINE_NOT_FOUND", "ENGINE_ALREADY_RUNNING", ...ENGINE_STARTS],
  }),
  stopEngine: platform("POST /engines/{user_id}/stop", "Stop an engine", {
    headers: IDEMPOTENCY,
    request: stopRequest,
    responses: ok("EngineStopped"),
    errors: ["POLICY_DENIED", "ENGINE_NOT_FOUND", "ENGINE_NOT_RUNNING", "OPERATION_IN_PROGRESS", "BACKEND_ERROR"],
  }),
  sleepEngine: platform("POST /engines/{user_id}/sleep", "Put an engine to sleep until its next call", {
    headers: IDEMPOTENCY,
    request: sleepRequest,
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
  rotateEngineKey: platform("POST /engines/{user_id}/rotate-key", "Replace an engine's key", {
    headers: IDEMPOTENCY,
    request: rotateKeyRequest,
    responses: ok("EngineKeyRotated"),
    errors: ["POLICY_DENIED", "ENGINE_NOT_FOUND", "ENGINE_NOT_RUNNING", "OPERATION_IN_PROGRESS", "BACKEND_ERROR"],
  }),
  waitForEngine: platform("GET /engines/{user_id}/wait", "Wait until an engine reaches a state", {
    query: { state: { ...STATE, fallback: "running", summary: "The state to wait for" }, timeout_s: WAIT_TIMEOUT_S },
    responses: ok("EngineRecord"),
    errors: ["ENGINE_NOT_FOUND", "BOOT_TIMEOUT"],
  }),
  engineLogs: platform("GET /engines/{user_id}/logs", "An engine's log lines", {
    query: { tail: LOG_TAIL, follow: { kind: "flag", summary: "Stream each new line" } },
    responses: { 200: [{ kind: "text" }] },
    errors: ["ENGINE_NOT_FOUND", "CAPACITY_EXHAUSTED"],
  }),
  engineEvents: platform(
    "GET /engines/{user_id}/events",
    "Events of a user's engines; a live stream with `Accept: text/event-stream`",
    { query: PAGE, headers: LAST_EVENT, responses: { 200: HISTORY }, errors: ["CAPACITY_EXHAUSTED"] },
  ),
  events: platform("GET /events", "Events of the product; a live stream with `Accept: text/event-stream`", {
    query: PAGE,
    headers: LAST_EVENT,
    responses: { 200: HISTORY },
    errors: ["CAPACITY_EXHAUSTED"],
  }),
} satisfies Record<string, Route>;
