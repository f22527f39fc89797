export const ENGINE_KEY_HEADER = "X-Engine-Key";
export const TURN_ID_HEADER = "X-Turn-Id";
