export const ENGINE_KEY_HEADER = "X-Engine-Key";
/** Another form of the query parameter `events`. */
export const EVENTS_HEADER = "X-Orchd-Events";
export const TURN_ID_HEADER = "X-Turn-Id";
