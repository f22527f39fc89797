import { once } from "node:events";
import { type IncomingMessage, type RequestListener, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import t, { type Test } from "tap";
import { declaredTool } from "../../../src/engine/catalog/declared-tool.ts";
import { parseDeclaredTool } from "../../../src/engine/catalog/tool-file.ts";
import type { IdentitySource } from "../../../src/engine/tools/web/identity-source.ts";
import { ToolFailed } from "../../../src/engine/tools/tool.ts";
import { commandHost } from "../../helpers/command-host.ts";
import { factsOf } from "../../helpers/engine-facts.ts";
import { freshFolder } from "../../helpers/folder.ts";
import { testIdentity } from "../../helpers/identity.ts";
import { toolBench } from "../../helpers/tool-context.ts";
import { testNetwork } from "../../helpers/tool-network.ts";
import { serverBench } from "../mcp/tool-server-bench.ts";
import { tinyToolServer } from "../mcp/tiny-tool-server.ts";

const identity = { audience: "https://api.example.com" };
const bearerOf = ({ headers }: IncomingMessage): string => headers.authorization?.replace("Bearer ", "") ?? "";

async function serve(t: Test, answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.teardown(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function toolOf(t: Test, http: object, source: IdentitySource) {
  const declared = parseDeclaredTool("probe", JSON.stringify({ description: "Probes.", http }));
  if (declared === null) throw new Error("switched off");
  const commands = commandHost({}, freshFolder(t), testNetwork(t, { policy: ["127.0.0.1"] }));
  return declaredTool(declared, { folder: freshFolder(t), commands, engine: factsOf("anna"), identity: source });
}

t.test("each call of an HTTP tool has a token of its own, for its audience and its agent", async (t) => {
  const bench = toolBench(t);
  const seen: string[] = [];
  const url = await serve(t, (request, response) => {
    seen.push(bearerOf(request));
    response.end("done");
  });
  const { identity: source, given } = testIdentity();
  const asked: object[] = [];
  const watched: IdentitySource = (of) => {
    asked.push({ audience: of.audience, agent: of.agent });
    return source(of);
  };
  const tool = toolOf(t, { url, identity }, watched);
  for (const agent of ["default", "coder"])
    t.same(await bench.run(tool, {}, { agent }), { output: "done", error: null });
  t.same(seen, given);
  t.equal(new Set(seen).size, 2);
  t.same(
    asked,
    ["default", "coder"].map((agent) => ({ audience: identity.audience, agent })),
  );
});

t.test("a tool that asks for a token is not called without one", async (t) => {
  let calls = 0;
  const url = await serve(t, (_request, response) => {
    calls++;
    response.end();
  });
  const refuse: IdentitySource = () => Promise.reject(new ToolFailed("no identity token: nobody signs"));
  t.match(await toolBench(t).run(toolOf(t, { url, identity }, refuse), {}), { error: /nobody signs/ });
  t.equal(calls, 0);
});

t.test("attack: a server that echoes the token shows it to no model", async (t) => {
  const url = await serve(t, (request, response) => {
    response.writeHead(request.url === "/bad" ? 400 : 200).end(`you sent ${request.headers.authorization}`);
  });
  const { identity: source } = testIdentity();
  const bench = toolBench(t);
  t.match(await bench.run(toolOf(t, { url, identity }, source), {}), { output: "you sent Bearer [secret]" });
  t.match(await bench.run(toolOf(t, { url: `${url}/bad`, identity }, source), {}), { error: /Bearer \[secret\]/ });
});

t.test("attack: a redirect takes the token to another server", async (t) => {
  const stolen: string[] = [];
  const thief = await serve(t, (request, response) => {
    stolen.push(bearerOf(request));
    response.writeHead(200, { "content-type": "application/json" }).end("{}");
  });
  const url = await serve(t, (_request, response) => {
    response.writeHead(307, { location: `${thief}/x` }).end();
  });
  const { identity: source, given } = testIdentity();
  t.match(await toolBench(t).run(toolOf(t, { url, identity }, source), {}), { error: /redirects/ });
  const bench = serverBench(t, { identity: source });
  await bench.load({ shop: { url: `${url}/mcp`, identity } });
  t.match(await bench.status("shop", "failed"), { error: /not followed/ });
  t.ok(given.length > 1, "it was called with tokens");
  t.same(stolen, []);
});

t.test("each request to a remote tool server has a token, which names the agent of a call", async (t) => {
  const { identity: source, given } = testIdentity();
  const { url, seen } = await tinyToolServer(t, (response, id) => {
    const text = `you sent ${response.req.headers.authorization}`;
    const result = { content: [{ type: "text", text }], structuredContent: { text } };
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ jsonrpc: "2.0", id, result }));
  });
  const bench = serverBench(t, { identity: source });
  await bench.load({ shop: { url, identity } });
  await bench.status("shop", "ready");
  const agentOf = (token: string) => Buffer.from(token.split(".")[1]?.slice(3) ?? "", "base64url").toString();
  t.same([...new Set(given.map(agentOf))], ["null"], "nobody calls while it connects");
  const answers = await Promise.all(["default", "coder"].map((agent) => bench.call("mcp__shop__speak", {}, { agent })));
  for (const { output, error } of answers) {
    t.equal(error, null);
    t.notMatch(JSON.stringify(output), /eyJ/, "a token that is echoed is cut out");
  }
  t.same(new Set(given.map(agentOf)), new Set(["null", "default", "coder"]));
  t.same(seen.map(bearerOf).toSorted(), given.toSorted());
  t.equal(new Set(given).size, given.length);
  t.notMatch(bench.log.join(""), /eyJ/);
  t.notMatch(JSON.stringify(bench.servers.list()), /eyJ/);
});

t.test("bad input names the field", async (t) => {
  const http = (more: object) => () =>
    parseDeclaredTool("probe", JSON.stringify({ description: "x", http: { url: "https://a.example.com", ...more } }));
  for (const bad of [{}, { audience: "" }, { audience: "two words" }, { audience: "a", scope: "b" }, "yes"])
    t.throws(http({ identity: bad }), /http\.identity/, JSON.stringify(bad));
  t.throws(
    http({ identity, headers: { authorization: "Bearer x" } }),
    /http\.identity: expected no header Authorization/,
  );
  const bench = serverBench(t);
  await bench.load({
    both: { url: "https://a.example.com", headers: { AUTHORIZATION: "x" }, identity },
    local: { command: "node", identity },
    empty: { url: "https://a.example.com", identity: {} },
  });
  t.match(
    bench.servers.list().servers.map(({ name, error }) => [name, error]),
    [
      ["both", /identity: expected no header Authorization/],
      ["local", /identity: expected a remote server/],
      ["empty", /identity/],
    ],
  );
});
