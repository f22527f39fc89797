import { once } from "node:events";
import { Agent, type IncomingMessage, type Server, createServer, get } from "node:http";
import { type AddressInfo, type Socket, connect } from "node:net";
import { text } from "node:stream/consumers";
import { setImmediate } from "node:timers/promises";
import t, { type Test } from "tap";
import { trackConnections } from "../../../src/shared/http/stop-accepting.ts";
import { until } from "../../helpers/until.ts";

const NOBODY = {} as Socket;

async function listening(
  t: Test,
  now?: () => number,
): Promise<{ server: Server; port: number; stop: (own: Socket, ending?: ReadonlySet<Socket>) => boolean }> {
  const server = createServer((request, response) => void (request.url === "/wait" ? null : response.end("done")));
  const stop = trackConnections(server, now);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const stopAccepting = (own: Socket, ending: ReadonlySet<Socket> = new Set()) => stop(own, ending);
  return { server, port: (server.address() as AddressInfo).port, stop: stopAccepting };
}

t.test("an idle connection is closed and does not hold the server", async (t) => {
  const { server, port, stop } = await listening(t);
  const agent = new Agent({ keepAlive: true });
  const [response] = (await once(get({ port, agent, path: "/" }), "response")) as [IncomingMessage];
  const { socket } = response;
  t.equal(await text(response), "done");
  await setImmediate();
  await until("the connection is idle", () => Object.keys(agent.freeSockets).length === 1);
  t.equal(stop(NOBODY), true);
  t.notOk(server.listening);
  await until("its client sees the end", () => socket.destroyed);
});

t.test("a connection on which a second request has begun keeps the server", async (t) => {
  const { server, port, stop } = await listening(t);
  const accepted = once(server, "connection");
  const client = connect(port, "127.0.0.1").setEncoding("utf8");
  const [socket] = (await accepted) as [Socket];
  t.teardown(() => client.destroy());
  let got = "";
  client.on("data", (piece: string) => (got += piece));
  client.write("GET / HTTP/1.1\r\nhost: x\r\n\r\n");
  await until("the first is answered", () => got.includes("done"));
  const { bytesRead } = socket;
  client.write("GET / HTTP/1.1\r\n");
  await until("a part of the second has come", () => socket.bytesRead > bytesRead);
  t.equal(stop(NOBODY), false);
  client.write("host: x\r\n\r\n");
  await until("the second is answered", () => got.split("done").length === 3);
});

t.test("a request in flight, and a connection without one yet, keep the server", async (t) => {
  const { server, port, stop } = await listening(t);
  const fresh = connect(port, "127.0.0.1").on("error", () => undefined);
  await once(server, "connection");
  t.equal(stop(NOBODY), false);
  t.ok(server.listening);
  fresh.destroy();
  await until("it is gone", () => stop(NOBODY) || !server.listening);
  const second = await listening(t);
  const waiting = get({ port: second.port, path: "/wait" }).on("error", () => undefined);
  const [{ socket }] = (await once(second.server, "request")) as [IncomingMessage];
  t.equal(second.stop(NOBODY), false);
  t.equal(second.stop(socket), true, "its own does not");
  waiting.destroy();
});

t.test("a connection that stayed without a request for a second does not", async (t) => {
  let nowMs = 0;
  const { server, port, stop } = await listening(t, () => nowMs);
  const spare = connect(port, "127.0.0.1").on("error", () => undefined);
  await once(server, "connection");
  nowMs = 999;
  t.equal(stop(NOBODY), false);
  nowMs = 1000;
  t.equal(stop(NOBODY), true);
  await until("its client sees the end", () => spare.destroyed);
  const second = await listening(t, () => nowMs);
  const accepted = once(second.server, "connection");
  const begun = connect(second.port, "127.0.0.1").on("error", () => undefined);
  const [socket] = (await accepted) as [Socket];
  begun.write("GET / HTTP/1.1\r\n");
  await until("a part of its request has come", () => socket.bytesRead > 0);
  nowMs = 60_000;
  t.equal(second.stop(NOBODY), false, "unless a request has begun");
  begun.destroy();
});
