import { type RequestListener, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import t, { type Test } from "tap";
import { DaemonAway, DaemonRoad, QuestionRefused } from "../../src/broker/ask-daemon.ts";
import { until } from "../helpers/until.ts";

const ASKED = { engine: "eng_1", incarnation: "one" };
const TOKEN = "the token of the broker";

async function startPeer(t: Test, listener: RequestListener, port = 0): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function roadTo(t: Test, url: string | null): DaemonRoad {
  const road = new DaemonRoad({ token: TOKEN, url });
  t.teardown(() => road.close());
  return road;
}

const says =
  (is_current: boolean): RequestListener =>
  (request, response) =>
    request.resume().once("end", () => response.end(JSON.stringify({ is_current })));

t.test("a question has the broker's token and its body, and questions share a connection", async (t) => {
  const seen: unknown[] = [];
  const url = await startPeer(t, (request, response) => {
    let body = "";
    request.on("data", (part) => (body += part));
    request.once("end", () => {
      const { url, method, headers, socket } = request;
      seen.push({ url, method, token: headers["x-broker-token"], body: JSON.parse(body), port: socket.remotePort });
      response.end(JSON.stringify({ is_current: true }));
    });
  });
  const road = roadTo(t, url);
  t.same(await road.ask("engine", ASKED), { is_current: true });
  await road.ask("engine", ASKED);
  t.match(seen, [{ url: "/broker/engine", method: "POST", token: TOKEN, body: ASKED }, {}]);
  const [first, second] = seen as { port: number }[];
  t.equal(first?.port, second?.port);
});

t.test("a daemon that restarts is waited for, and the next one is asked where it says it is", async (t) => {
  let calls = 0;
  const starting = await startPeer(t, (request, response) => {
    calls++;
    request.resume();
    if (calls < 3) response.writeHead(503).end();
    else response.socket?.destroy();
  });
  const road = roadTo(t, starting);
  const answer = road.ask("engine", ASKED, { deadlineMs: 20_000 });
  const next = await startPeer(t, says(true));
  await until("it asks again", () => calls >= 4);
  road.follow(next);
  t.same(await answer, { is_current: true });
});

t.test("a broker without a daemon gives up at its deadline", async (t) => {
  await t.rejects(roadTo(t, null).ask("engine", ASKED, { deadlineMs: 250 }), DaemonAway);
  const silent = await startPeer(t, (request) => request.resume());
  await t.rejects(roadTo(t, silent).ask("engine", ASKED, { deadlineMs: 250 }), DaemonAway);
});

t.test("a refused question is not asked again", async (t) => {
  let calls = 0;
  const url = await startPeer(t, (request, response) => {
    calls++;
    request.resume();
    response.writeHead(400).end(JSON.stringify({ error: { code: "INVALID_REQUEST", message: "engine: expected" } }));
  });
  await t.rejects(roadTo(t, url).ask("engine", ASKED), { name: "QuestionRefused", code: "INVALID_REQUEST" });
  t.equal(calls, 1);
  const refusing = await startPeer(t, (request, response) => response.writeHead(401).end(request.resume() && ""));
  await t.rejects(roadTo(t, refusing).ask("engine", ASKED), QuestionRefused);
});

t.test("an endless answer is no answer", async (t) => {
  const url = await startPeer(t, (request, response) => {
    request.resume();
    const more = () => {
      if (!response.destroyed) response.write("x".repeat(64 * 1024), () => setImmediate(more));
    };
    more();
  });
  await t.rejects(roadTo(t, url).ask("engine", ASKED, { deadlineMs: 1500 }), DaemonAway);
});
