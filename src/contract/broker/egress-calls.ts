/** Calls of engines for which the broker is the only way out. They carry nothing that the engine does not have itself. */
export const EGRESS_PREFIX = "/egress/";
/** Any method: the request, which goes on to its target if the policy's `tool_network` permits that. */
export const EGRESS_CALL_PATH = "/egress/call";
/** The URL that the request is for, as base64url. */
export const EGRESS_TARGET_HEADER = "x-orchd-egress-target";
/** On a `CONNECT`: the bytes go on as they are. */
export const EGRESS_TUNNEL_HEADER = "x-orchd-egress";
