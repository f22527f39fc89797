import t from "tap";
import { ask } from "../helpers/api.ts";
import { freePort } from "../helpers/daemon.ts";
import { MCP_ERAS, connectMcp } from "../helpers/mcp-client.ts";
import { openFleet } from "../helpers/sleepers.ts";

const port = await freePort();
const base = `http://localhost:${port}`;
const APP = "https://app.example.com";
const fleet = await openFleet(t, {
  env: { ORCH_PORT: String(port), ORCH_PUBLIC_URL: base },
  policy: { allowed_origins: [APP] },
});
const alice = await fleet.provision("alice");
const tokenOf = async (scope: string): Promise<string> => (await alice.post("tokens", { scope })).body.token;
const say = (text: string) => ({ name: "ask", arguments: { message: `/say ${text}` } });

for (const era of MCP_ERAS) {
  t.test(`${era}: a call through the gateway wakes a sleeping engine, and its session goes on`, async (t) => {
    const headers = { authorization: `Bearer ${alice.key}` };
    const client = await connectMcp(t, `${base}/e/${alice.id}/mcp`, {
      era,
      headers,
      elicit: () => ({ action: "accept", content: { answer: "B" } }),
    });
    await alice.sleep();
    t.match(await client.callTool(say("Awake.")), { content: [{ text: "Awake." }] });
    await alice.isIn("running");
    await alice.sleep();
    const asked = await client.callTool({ name: "ask", arguments: { message: "/ask Which? | A | B\n/say Fine." } });
    t.match(asked, { structuredContent: { status: "completed" } });
  });

  t.test(`${era}: a page of another origin calls with its user's token, within its scopes`, async (t) => {
    const headers = { authorization: `Bearer ${await tokenOf("turns answers")}`, origin: APP };
    const client = await connectMcp(t, `${base}/me/mcp`, { era, headers });
    t.match(await client.callTool(say("Hello.")), { content: [{ text: "Hello." }] });
    t.match(await client.callTool({ name: "search_memory", arguments: { query: "Hello" } }), {
      isError: true,
      content: [{ text: /INSUFFICIENT_SCOPE.*memory:read/ }],
    });
    await t.rejects(client.listResources(), { message: /INSUFFICIENT_SCOPE.*files:read/ });
    await t.rejects(client.readResource({ uri: "workspace:///a.txt" }), { message: /INSUFFICIENT_SCOPE.*files:read/ });
  });
}

t.test("refusals of the daemon are in the form of JSON-RPC, and a page may read its session", async (t) => {
  const send = (token: string, origin: string) =>
    ask(base, "/me/mcp", {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, origin, accept: "application/json, text/event-stream" },
      body: {
        jsonrpc: "2.0",
        id: 1,
        method: "initialize",
        params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "page", version: "1" } },
      },
    });
  t.match(await send("orcht_wrong", APP), {
    status: 401,
    body: { jsonrpc: "2.0", error: { message: /INVALID_TOKEN/ } },
  });
  const token = await tokenOf("turns");
  t.match(await send(token, "https://evil.example"), { status: 403, body: { jsonrpc: "2.0" } });
  t.match(await send(await tokenOf("tasks:read"), APP), { status: 403, body: { error: { data: { scope: "turns" } } } });
  t.match((await send(token, APP)).headers, {
    "mcp-session-id": /^orchd-b-/,
    "access-control-allow-origin": APP,
    "access-control-expose-headers": /Mcp-Session-Id/,
  });
});
