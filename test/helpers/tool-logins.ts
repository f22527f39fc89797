import type { Test } from "tap";
import { ask } from "./api.ts";
import { type AuthorizationServer, startAuthorizationServer } from "./authorization-server.ts";
import { catalogArchive } from "./catalog-archive.ts";
import { freePort } from "./daemon.ts";
import { type GuardedToolServer, startGuardedToolServer } from "./guarded-tool-server.ts";
import { CookieJar } from "./identity-provider.ts";
import { type Fleet, type Sleeper, openFleet } from "./sleepers.ts";
import { until } from "./until.ts";

export interface LoginFleet extends Fleet {
  readonly authorization: AuthorizationServer;
  readonly tools: GuardedToolServer;
  /** The daemon's address for browsers. */
  readonly publicUrl: string;
}

const ENTRY = { login: "oauth", permissions: { "*": "allow" } };

/** A daemon whose product has a tool server that users sign in to. */
export async function openLoginFleet(
  t: Test,
  {
    accessTokenS = 3600,
    policy = {},
    env = {},
    authorization: given,
  }: {
    readonly accessTokenS?: number;
    readonly policy?: object;
    readonly env?: Readonly<Record<string, string>>;
    readonly authorization?: AuthorizationServer;
  } = {},
): Promise<LoginFleet> {
  const authorization = given ?? (await startAuthorizationServer(t, { accessTokenS }));
  const tools = await startGuardedToolServer(t, authorization);
  const port = await freePort();
  const publicUrl = `http://127.0.0.1:${port}`;
  const fleet = await openFleet(t, {
    policy: { private_hosts: ["127.0.0.1"], ...policy },
    env: { ORCH_PORT: String(port), ORCH_PUBLIC_URL: publicUrl, ...env },
  });
  await pushServers(fleet, { guarded: { url: tools.url, ...ENTRY } });
  return Object.defineProperties(
    { authorization, tools, publicUrl } as LoginFleet,
    Object.getOwnPropertyDescriptors(fleet),
  );
}

export async function pushServers(fleet: Fleet, mcpServers: object): Promise<void> {
  const pushed = await ask(fleet.daemon.url, "/catalog", {
    method: "PUT",
    headers: { "x-platform-key": fleet.platformKey },
    body: await catalogArchive({ ".mcp.json": JSON.stringify({ mcpServers }) }),
  });
  if (pushed.status !== 200) throw new Error(pushed.text);
}

/** The open question of a user's engine that asks for a login. */
export const loginQuestion = ({
  call,
}: Pick<Sleeper, "call">): Promise<{
  request_id: string;
  kind: string;
  context: { url: string; server: string };
  task_id: string;
  question: string;
  options: string[];
}> =>
  until("a login is asked for", async () => {
    const { body } = await call("/hitl/pending");
    return body.requests.find(({ kind }: { kind: string }) => kind === "login");
  });

/** What a person sees of a page. */
export interface Page {
  readonly at: string;
  readonly status: number;
  readonly text: string;
}

/** Opens a link as a person does, agrees, and signs in. Returns the last page. */
export async function signInBy(link: string, who: string, jar = new CookieJar()): Promise<Page> {
  const callback = await toCallback(link, who, jar);
  return open(callback, jar);
}

/** The same, until the callback's address, which is not opened. */
export async function toCallback(link: string, who: string, jar = new CookieJar()): Promise<string> {
  return jar.signInAs(who, await agreed(link, jar), new URL("/oauth/callback", link).href);
}

/** The address behind `Continue` of the first page. */
export async function agreed(link: string, jar: CookieJar, word: "start" | "refuse" = "start"): Promise<string> {
  const { text } = await open(link, jar);
  const [, href = ""] = new RegExp(`href="(${word}\\?[^"]+)"`).exec(text) ?? [];
  if (href === "") throw new Error(`no link to ${word}: ${text}`);
  return new URL(href.replaceAll("&amp;", "&"), link).href;
}

export async function open(url: string, jar: CookieJar): Promise<Page> {
  const answer = await jar.fetch(url);
  return { at: url, status: answer.status, text: await answer.text() };
}

/** The results of tools of a turn. */
export async function resultsOf({ call }: Pick<Sleeper, "call">, taskId: string): Promise<Record<string, unknown>[]> {
  const { body } = await call(`/execute/replay?task_id=${taskId}`);
  const events: { event: string; data: Record<string, unknown> }[] = body.events;
  return events.filter(({ event }) => event === "tool_result").map(({ data }) => data);
}
