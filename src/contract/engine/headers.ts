export const ENGINE_KEY_HEADER = "X-Engine-Key";
/** Another form of the query parameter `events`. */
export const EVENTS_HEADER = "X-Orchd-Events";
/** The most turns that may run for the caller to start another. The daemon sends it with calls of end users. */
export const TURN_LIMIT_HEADER = "X-Turn-Limit";
/** The scopes of the caller's token, separated by blanks. The daemon sends it with calls of end users. */
export const SCOPES_HEADER = "X-Token-Scopes";
export const TURN_ID_HEADER = "X-Turn-Id";
/** Of a stream: the id of its message, percent-encoded. */
export const MESSAGE_ID_HEADER = "X-Message-Id";
/** The engine's address as its caller knows it. The daemon sends it with every call through the gateway. */
export const BASE_URL_HEADER = "X-Base-Url";
