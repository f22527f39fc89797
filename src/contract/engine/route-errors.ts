import type { EngineErrorCode } from "./errors.ts";
import type { EngineRoute } from "./route-row.ts";

/** Every code that a route can answer outside a stream. */
export function engineErrorsOf(route: EngineRoute): readonly EngineErrorCode[] {
  const { auth, method, requestLines, requestBytes, errors = [] } = route;
  const takesBody = method === "POST" || method === "PUT" || method === "PATCH";
  const codes: readonly EngineErrorCode[] = [
    "INVALID_REQUEST",
    ...(auth === "engine" ? (["INVALID_ENGINE_KEY"] as const) : []),
    ...(auth === "control" ? (["NOT_FOUND"] as const) : []),
    ...(takesBody ? (["PAYLOAD_TOO_LARGE"] as const) : []),
    ...errors,
    "INTERNAL_ERROR",
    // The daemon's responses for an engine that it cannot or must not wake, and never for its own calls.
    ...(auth === "control" ? [] : (["POLICY_DENIED", "SLEEPING_BUSY", "ENGINE_NOT_RUNNING"] as const)),
    ...(takesBody && requestLines === undefined && requestBytes === undefined
      ? (["SERVICE_UNAVAILABLE"] as const)
      : []),
  ];
  return [...new Set(codes)];
}
