import type { Request } from "express";
import { type Route, maxBodyBytes } from "../../contract/orchestrator-routes.ts";
import { BodyRoom } from "../../shared/http/body-room.ts";
import { type ReceivedBody, declaredLength, readBody } from "../../shared/http/read-body.ts";
import { ApiError } from "../api-error.ts";

const RETRY_AFTER_S = 1;

/** What calls share while their bodies are received: one product has a quarter of it at most. */
export const createBodyRoom = (): BodyRoom => new BodyRoom({ total: 32 * 1024 ** 2, each: 8 * 1024 ** 2 });

/** Before authentication: what a client says it will send is refused without reading any of it. */
export function assertDeclaredSize(request: Request, route: Route): void {
  if ((declaredLength(request) ?? 0) > maxBodyBytes(route)) throw tooLarge(route);
}

/** After authentication. What a call does not need is read too: its connection goes on behind it. */
export async function receiveBody(
  request: Request,
  { route, room, owner }: { readonly route: Route; readonly room: BodyRoom; readonly owner: string },
): Promise<ReceivedBody> {
  if ((request.get("content-encoding") ?? "identity") !== "identity") {
    throw new ApiError("INVALID_REQUEST", "body: expected JSON, not compressed");
  }
  const body = await readBody(request, { maxBytes: maxBodyBytes(route), room, owner });
  switch (body.kind) {
    case "read":
      return body;
    case "too_large":
      throw tooLarge(route);
    case "no_room":
      throw new ApiError("SERVICE_UNAVAILABLE", "too many request bodies are being received", {
        retryAfterS: RETRY_AFTER_S,
      });
    case "cut_off":
      throw new ApiError("INVALID_REQUEST", "body: the connection ended before it was received");
    default:
      return body satisfies never;
  }
}

const tooLarge = (route: Route): ApiError =>
  new ApiError("PAYLOAD_TOO_LARGE", `body: expected at most ${maxBodyBytes(route) / 1024} KiB`);
