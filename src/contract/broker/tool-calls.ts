/** Calls of engines at the broker for tool servers with logins. All are below this path. */
export const TOOL_PREFIX = "/tools/";
/** Any method: the call, which goes on to the tool server with the user's token. */
export const TOOL_CALL_PATH = "/tools/call";
/** `POST {turn_id, task_id, tool_call_id}`: the link with which the user signs in, `{url}`. */
export const TOOL_LOGIN_PATH = "/tools/login";

/** The tool server, as the engine's catalog has it: a `LoginTarget` as base64url of JSON. */
export const TOOL_TARGET_HEADER = "x-orchd-tool-target";
/** On an answer of the broker: the user has to sign in. The call has not reached the tool server, or was refused there. */
export const LOGIN_NEEDED_HEADER = "x-orchd-login-needed";

export const encodeTarget = (target: object): string => Buffer.from(JSON.stringify(target)).toString("base64url");
