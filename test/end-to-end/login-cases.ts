import type { Test } from "tap";
import { ask } from "../helpers/api.ts";
import { startAuthorizationServer } from "../helpers/authorization-server.ts";
import { openStream } from "../helpers/engine.ts";
import { startGuardedToolServer } from "../helpers/guarded-tool-server.ts";
import { loginQuestion, signInBy } from "../helpers/tool-logins.ts";
import { until } from "../helpers/until.ts";
import type { SecretPlace } from "./secret-cases.ts";

/** The broker keeps a token as long. */
const TOKEN_S = 10;

/** A login of the engine's user at a remote tool server, on any backend. */
export async function loginCases(
  t: Test,
  {
    base,
    issuer,
    host,
    user,
    engine,
    platform,
    setPolicy,
    privateHosts,
    push,
    callTool,
  }: SecretPlace & { readonly callTool: (name: string) => Promise<string> },
): Promise<void> {
  await t.test("a turn waits for a login by a link, its token is renewed, and a deletion ends it", async (t) => {
    const authorization = await startAuthorizationServer(t, { host, accessTokenS: TOKEN_S });
    const tools = await startGuardedToolServer(t, authorization, { host });
    const entry = { url: tools.url, login: "oauth", permissions: { "*": "allow" } };
    await setPolicy({ private_hosts: [host, ...privateHosts] });
    await push({ ".mcp.json": JSON.stringify({ mcpServers: { guarded: entry } }) });
    const url = `${base}/e/${engine.id}`;
    const headers = { "x-engine-key": engine.key };
    const status = async () => (await ask(url, "/assets/servers", { headers })).body?.servers?.[0]?.status;
    await until("the login is needed", async () => (await status()) === "needs_login", 60_000);
    const body = { task_id: "login", message: "/tool mcp__guarded__sign_in {}\n/say done" };
    const turn = await openStream(url, "/execute", { headers, body });
    const question = await loginQuestion({ call: (path) => ask(url, path, { headers }) });
    t.ok(question.context.url.startsWith(`${issuer}/oauth/start?login=`));
    t.match(await signInBy(question.context.url, "ann@example.com"), { status: 200, text: /Signed in to guarded/ });
    const frames = await turn.all(60_000);
    t.match(frames.find(({ event }) => event === "tool_result")?.data, { output: { signed_in: true } });
    t.match(await callTool("mcp__guarded__whoami"), "you are ann@example.com");
    await until("its token is renewed", async () => {
      t.match(await callTool("mcp__guarded__whoami"), "you are ann@example.com");
      return new Set(tools.tokens).size > 1;
    });
    const connections = `/engines/${user}/connections`;
    t.match((await platform("GET", connections)).body.data, [{ server: "guarded", state: "connected" }]);
    t.match(await platform("DELETE", `${connections}/guarded`), { status: 200, body: { revoked: true } });
    t.match(await callTool("mcp__guarded__whoami"), /has to sign in/);
    const again = { task_id: "again", message: "/tool mcp__guarded__whoami {}\n/say done" };
    const asking = await openStream(url, "/execute", { headers, body: again });
    const { request_id } = await loginQuestion({ call: (path) => ask(url, path, { headers }) });
    const refusal = { method: "POST", headers, body: { request_id, answer: "refused" } };
    t.equal((await ask(url, "/hitl/respond", refusal)).status, 200);
    const refused = (await asking.all(60_000)).find(({ event }) => event === "tool_result");
    t.match(refused?.data["error"], /does not want to sign in/);
  });
}
