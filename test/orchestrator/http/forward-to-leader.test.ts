import { once } from "node:events";
import { type RequestListener, createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { text } from "node:stream/consumers";
import t, { type Test } from "tap";
import { LeaderProxy, type ForwardOutcome } from "../../../src/orchestrator/http/forward-to-leader.ts";
import { ask } from "../../helpers/api.ts";
import { freePort } from "../../helpers/daemon.ts";
import { until } from "../../helpers/until.ts";

async function serverAt(t: Test, listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A follower whose leader the test chooses. */
async function follower(t: Test, leaderUrl: string | null) {
  const term = new AbortController();
  const replica = { leaderUrl, term: term.signal };
  const calls = new LeaderProxy(replica);
  const outcomes: ForwardOutcome[] = [];
  const url = await serverAt(t, async (request, response) => {
    const outcome = await calls.forward({ request, response });
    outcomes.push(outcome);
    if (outcome === "lost") response.writeHead(502).end();
  });
  return { url, replica, term, outcomes };
}

/** Answers with the method, the path and the body. */
const echo: RequestListener = async (request, response) => {
  const body = await text(request);
  response.end(JSON.stringify({ method: request.method, path: request.url, body, headers: request.headers }));
};

/** Reads the call and closes its connection. */
const loseCalls: RequestListener = async (request) => {
  await text(request);
  request.socket.destroy();
};

t.test("a call waits for a leader, and says whose it is", async (t) => {
  const { url, replica, outcomes } = await follower(t, `http://127.0.0.1:${await freePort()}`);
  const asked = ask(url, "/engines/a%2Fb?x=%20", { method: "POST", body: "as it came", headers: { via: "1.1 proxy" } });
  replica.leaderUrl = await serverAt(t, echo);
  const { body } = await asked;
  t.match(body, { method: "POST", path: "/engines/a%2Fb?x=%20", body: "as it came" });
  t.match(body.headers, {
    via: "1.1 proxy, 1.1 orchd-replica",
    "x-forwarded-for": "127.0.0.1",
    host: new URL(url).host,
  });
  t.same(outcomes, ["answered"]);
});

t.test("a call that the leader may have run is sent again only when it is safe", async (t) => {
  const losing = await serverAt(t, loseCalls);
  const { url, replica, outcomes } = await follower(t, losing);
  t.equal((await ask(url, "/", { method: "POST", body: "once" })).status, 502);
  t.same(outcomes, ["lost"]);
  const large = ask(url, "/", { method: "POST", body: "x".repeat(300_000), headers: { "idempotency-key": "a" } });
  t.equal((await large).status, 502, "a body that was not kept");
  const keyed = ask(url, "/", { method: "POST", body: "again", headers: { "idempotency-key": "a" } });
  const read = ask(url, "/list");
  replica.leaderUrl = await serverAt(t, echo);
  t.equal((await keyed).body.body, "again");
  t.equal((await read).body.path, "/list");
});

t.test("a call that a daemon refused because it does not lead is sent again, body and all", async (t) => {
  let refused = 0;
  const stopping = await serverAt(t, async (request, response) => {
    await text(request);
    refused++;
    response.writeHead(503, { "x-orch-phase": "stopping" }).end();
  });
  const { url, replica } = await follower(t, stopping);
  const asked = ask(url, "/", { method: "POST", body: "patient" });
  await until("it was refused", () => refused > 0);
  replica.leaderUrl = await serverAt(t, echo);
  t.equal((await asked).body.body, "patient");
});

t.test("a leader that answers nothing is left when another one leads", async (t) => {
  let heard = 0;
  const frozen = await serverAt(t, () => heard++);
  const { url, replica, term } = await follower(t, frozen);
  const asked = ask(url, "/list");
  await until("it was sent", () => heard > 0);
  replica.leaderUrl = await serverAt(t, echo);
  term.abort();
  t.equal((await asked).body.path, "/list");
});

t.test("a body cannot be smuggled as a second request by headers that Connection names", async (t) => {
  const heard: string[] = [];
  const leader = await serverAt(t, async (request, response) => {
    heard.push(`${request.method} ${request.url} ${await text(request)}`);
    response.end();
  });
  const { url } = await follower(t, leader);
  const body = "POST /smuggled HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n";
  const chunks = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
  const attacks = [
    ["content-length", `content-length: ${body.length}`, body],
    ["Content-Length , close", `content-length: ${body.length}`, body],
    ["transfer-encoding, content-length", "transfer-encoding: chunked", chunks],
  ] as const;
  for (const method of ["GET", "DELETE", "POST"])
    for (const [named, framing, content] of attacks) {
      const socket = connect(Number(new URL(url).port), "127.0.0.1");
      socket.write(`${method} /outer HTTP/1.1\r\nhost: x\r\nconnection: ${named}\r\n${framing}\r\n\r\n${content}`);
      t.match(String((await once(socket, "data"))[0]), /^HTTP\/1.1 200 /, `${method} with connection: ${named}`);
      socket.destroy();
      t.equal(heard.pop(), `${method} /outer ${body}`);
      t.same(heard, [], "nothing else was heard");
    }
});

t.test("headers that Connection names do not remove what a proxy says of the call", async (t) => {
  const { url } = await follower(t, await serverAt(t, echo));
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  const named = "connection: close, via, x-forwarded-for, x-request-id, host, x-mine";
  socket.write(`GET / HTTP/1.1\r\nhost: here\r\nx-mine: dropped\r\n${named}\r\n\r\n`);
  const answer = await text(socket);
  const { headers } = JSON.parse(answer.slice(answer.indexOf('{"method"'), answer.lastIndexOf("}") + 1));
  t.match(headers, { host: "here", via: "1.1 orchd-replica", "x-forwarded-for": "127.0.0.1" });
  t.notOk("x-mine" in headers);
});
