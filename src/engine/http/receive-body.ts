import type { RequestHandler } from "express";
import { ENGINE_BODY_LIMITS } from "../../contract/engine-api.ts";
import type { BodyRoom } from "../../shared/http/body-room.ts";
import { parseJsonBody } from "../../shared/http/json-body.ts";
import { declaredLength, readBody } from "../../shared/http/read-body.ts";
import { EngineError } from "../engine-error.ts";

/** Puts the JSON of a call's body, undefined when it has none, into `request.body`. Stands behind authentication. */
export function receiveBody(room: BodyRoom, maxBytes: number): RequestHandler {
  const tooLarge = () => new EngineError("PAYLOAD_TOO_LARGE", `body: expected at most ${maxBytes / 1024} KiB`);
  return async (request, _response, next) => {
    if ((request.get("content-encoding") ?? "identity") !== "identity")
      throw new EngineError("INVALID_REQUEST", "body: expected JSON, not compressed");
    if ((declaredLength(request) ?? 0) > maxBytes) throw tooLarge();
    const body = await readBody(request, { maxBytes, room, owner: "key" });
    switch (body.kind) {
      case "read":
        try {
          request.body = parseJsonBody(body.bytes, ENGINE_BODY_LIMITS);
        } finally {
          body.release();
        }
        next();
        return;
      case "too_large":
        throw tooLarge();
      case "no_room":
        throw new EngineError("SERVICE_UNAVAILABLE", "too many request bodies are being received");
      case "cut_off":
        throw new EngineError("INVALID_REQUEST", "body: the connection ended before it was received");
      default:
        body satisfies never;
    }
  };
}
