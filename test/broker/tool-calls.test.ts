import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { type IncomingMessage, type RequestListener, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import t, { type Test } from "tap";
import { CallCounts } from "../../src/broker/call-counts.ts";
import { OpenCalls } from "../../src/broker/open-calls.ts";
import { OutgoingCalls } from "../../src/broker/outgoing-calls.ts";
import { sealEngineKey } from "../../src/contract/broker/engine-key.ts";
import { TOOL_CALL_PATH, TOOL_TARGET_HEADER, encodeTarget } from "../../src/contract/broker/tool-calls.ts";
import { ENGINE_KEY_HEADER } from "../../src/contract/broker/secret-calls.ts";
import { sealingKeyOf } from "../../src/contract/broker/call-key.ts";

const TOKEN = `at-${randomBytes(24).toString("hex")}`;
const sealingKey = sealingKeyOf("a secret of the deployment");
const start = { engine: "eng_1", incarnation: "one" };
const key = sealEngineKey(sealingKey, start);

async function listen(t: Test, listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** The broker's part for tool servers, with a daemon that always has a token. */
async function brokerFor(t: Test, server: RequestListener, hosts: readonly string[] = ["127.0.0.1"]) {
  const asked: unknown[] = [];
  const ask = async (_: string, question: unknown) => {
    asked.push(question);
    return { state: "token", token: TOKEN, expires_at: null, private_hosts: hosts };
  };
  const parts = { sealingKey, road: { ask } as never, prepareTls: async () => undefined, log: () => undefined };
  const addresses = { of: async () => [] };
  const calls = new OutgoingCalls({ ...parts, addresses, counts: new CallCounts(), open: new OpenCalls() });
  const url = await listen(t, (request, response) => void calls.answer(request, response));
  const target = {
    server: "s",
    url: `${await listen(t, server)}/mcp`,
    scopes: null,
    client_id: null,
    client_secret: null,
  };
  const call = (headers: Readonly<Record<string, string>> = {}, body = "{}") =>
    fetch(url + TOOL_CALL_PATH, {
      method: "POST",
      body,
      headers: { [ENGINE_KEY_HEADER]: key, [TOOL_TARGET_HEADER]: encodeTarget(target), ...headers },
    });
  return { call, asked };
}

t.test("a server that echoes the token, also in pieces or in a header, does not show it to the engine", async (t) => {
  const { call } = await brokerFor(t, async (request, response) => {
    const echoed = request.headers.authorization ?? "";
    response.writeHead(200, { "content-type": "text/event-stream", "x-echo": echoed });
    for (const letter of `data: ${echoed}\n\ndata: at-`) {
      response.write(letter);
      await sleep(0);
    }
    response.end();
  });
  const answer = await call();
  t.equal(answer.headers.get("x-echo"), "Bearer (redacted)");
  t.equal(await answer.text(), "data: Bearer (redacted)\n\ndata: at-", "what only begins like it stays");
});

t.test("the engine's own headers reach the server, but no key, and no Authorization of its own", async (t) => {
  const seen: IncomingMessage["headers"][] = [];
  const { call } = await brokerFor(t, (request, response) => {
    seen.push(request.headers);
    response.end("{}");
  });
  await call({ authorization: "Bearer mine", "mcp-session-id": "s1" });
  t.match(seen[0], { authorization: `Bearer ${TOKEN}`, "mcp-session-id": "s1" });
  t.notMatch(JSON.stringify(seen), key);
});

t.test("a redirect is not followed, so that no other host gets the token", async (t) => {
  const { call } = await brokerFor(t, (_, response) =>
    response.writeHead(307, { location: "https://evil.invalid/" }).end(),
  );
  t.equal((await call()).status, 502);
});

t.test("SSRF: a private host that the policy does not list is not called", async (t) => {
  let calls = 0;
  const { call } = await brokerFor(t, (_, response) => (calls++, response.end("{}")), []);
  t.equal((await call()).status, 403);
  t.equal(calls, 0);
});

t.test("a token that the server refuses is asked for once more, and then the user", async (t) => {
  const { call, asked } = await brokerFor(t, (_, response) => response.writeHead(401).end());
  const answer = await call();
  t.match([answer.status, answer.headers.get("x-orchd-login-needed")], [401, "1"]);
  t.equal(asked.length, 2);
  t.match(asked[1], { rejected: /^[0-9a-f]{64}$/ });
});

t.test("the key of another deployment, and no key, get nothing", async (t) => {
  let calls = 0;
  const { call } = await brokerFor(t, (_, response) => (calls++, response.end("{}")));
  const other = sealEngineKey(sealingKeyOf("another secret"), start);
  for (const headers of [{ [ENGINE_KEY_HEADER]: other }, { [ENGINE_KEY_HEADER]: "" }])
    t.equal((await call(headers)).status, 401);
  t.equal((await call({ [TOOL_TARGET_HEADER]: "x" })).status, 400);
  t.equal((await call({}, "x".repeat(11 * 1024 ** 2))).status, 413);
  t.equal(calls, 0);
});
