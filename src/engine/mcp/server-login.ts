import * as z from "zod/mini";
import { ENGINE_KEY_HEADER } from "../../contract/broker/secret-calls.ts";
import { TOOL_LOGIN_PATH, TOOL_TARGET_HEADER, encodeTarget } from "../../contract/broker/tool-calls.ts";
import { LOGIN_OUTCOMES, type LoginTarget } from "../../contract/engine/tool-login.ts";
import { type CallStart, ToolFailed } from "../tools/tool.ts";
import type { HttpServerConfig, ServerConfig } from "./server-config.ts";

/** How this engine reaches the broker for tool servers with logins. */
export interface ToolBroker {
  readonly url: string;
  readonly key: string;
}

/** Beyond the broker's own deadline. */
const LINK_MS = 20_000;
/** A client may say that the user has signed in when that is not so. */
const MAX_ASKED = 3;
const answer = z.object({ url: z.string().check(z.maxLength(4096)) });

export const hasLogin = (server: ServerConfig): server is HttpServerConfig & { readonly login: object } =>
  server.transport !== "stdio" && server.login !== null;

export const targetOf = ({ name, url, login }: HttpServerConfig): LoginTarget => ({
  server: name,
  url,
  scopes: login?.scopes ?? null,
  client_id: login?.client_id ?? null,
  client_secret: login?.client_secret ?? null,
});

/** What the broker must know of a call. The user's token is added there, and never here. */
export const brokerHeaders = (server: HttpServerConfig, { key }: ToolBroker): Readonly<Record<string, string>> => ({
  [ENGINE_KEY_HEADER]: key,
  [TOOL_TARGET_HEADER]: encodeTarget(targetOf(server)),
});

interface LoginConnection {
  readonly needsLogin: boolean;
  /** Connects anew, and resolves with the end of that attempt. */
  retry(signal: AbortSignal): Promise<void>;
}

/**
 * Asks the user to sign in, by a question with a link, until the server is reached. The daemon answers the question when the
 * login has ended. Asked again after a restart, it is the same question.
 */
export async function askForLogin(
  server: HttpServerConfig,
  broker: ToolBroker | null,
  { connection, start }: { readonly connection: LoginConnection; readonly start: CallStart },
): Promise<void> {
  const [signedIn] = LOGIN_OUTCOMES;
  for (let asked = 0; connection.needsLogin; asked++) {
    if (asked === MAX_ASKED) throw new ToolFailed(`the user has not signed in to the tool server ${server.name}`);
    const url = await linkFor(server, broker, start);
    const question = `Sign in to the tool server ${server.name} (${new URL(server.url).host}): ${url}`;
    const login = { server: server.name, url };
    const given = await start.ask({ question, options: [...LOGIN_OUTCOMES], allowFreeText: false, login });
    if (given !== signedIn) throw new ToolFailed(`the user does not want to sign in to the tool server ${server.name}`);
    await connection.retry(start.signal);
  }
}

async function linkFor(
  server: HttpServerConfig,
  broker: ToolBroker | null,
  { turnId, taskId, toolCallId, signal }: CallStart,
): Promise<string> {
  const failed = `the tool server ${server.name} needs a login, and orchd makes no link for it now`;
  if (broker === null) throw new ToolFailed(NO_BROKER);
  const response = await fetch(broker.url + TOOL_LOGIN_PATH, {
    method: "POST",
    headers: { ...brokerHeaders(server, broker), "content-type": "application/json" },
    body: JSON.stringify({ turn_id: turnId, task_id: taskId, tool_call_id: toolCallId }),
    signal: AbortSignal.any([signal, AbortSignal.timeout(LINK_MS)]),
  }).catch((error: unknown) => {
    signal.throwIfAborted();
    throw new ToolFailed(`${failed}: ${error instanceof Error ? error.message : String(error)}`);
  });
  const read = z.safeParse(answer, await response.json().catch(() => null));
  if (!response.ok || !read.success) throw new ToolFailed(`${failed} (status ${response.status})`);
  return read.data.url;
}

export const NO_BROKER =
  "logins of tool servers need ORCH_PUBLIC_URL and the broker, which this engine does not have; orchctl doctor says why";
