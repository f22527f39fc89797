import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { text } from "node:stream/consumers";
import t, { type Test } from "tap";
import { refuseUnreadable } from "../../../src/shared/http/unreadable-requests.ts";

const TIMEOUT_MS = 50;
const REQUEST = "GET / HTTP/1.1\r\nhost: x\r\n";

async function connected(t: Test, { silent = false } = {}) {
  const times = { headersTimeout: TIMEOUT_MS, requestTimeout: TIMEOUT_MS, connectionsCheckingInterval: 10 };
  const server = createServer(times, (_request, response) => void (silent || response.end("answer")));
  refuseUnreadable(server, (message) => ({ message }));
  await once(server.listen(0, "127.0.0.1"), "listening");
  t.teardown(() => server.close());
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  t.teardown(() => socket.destroy());
  await Promise.all([once(server, "connection"), once(socket, "connect")]);
  return socket;
}

t.test("a request that arrived while the process was busy is answered, however long that took", async (t) => {
  const socket = await connected(t);
  socket.write(`${REQUEST}\r\n`);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 4 * TIMEOUT_MS);
  const [answer] = await once(socket, "data");
  t.match(String(answer), /^HTTP\/1.1 200 OK/);
});

t.test("half a request gets 408", async (t) => {
  const socket = await connected(t);
  socket.write(REQUEST);
  t.match(await text(socket), /^HTTP\/1.1 408 .*\r\n\r\n\{"message":"invalid HTTP request: Request Timeout"\}$/s);
});

t.test("half a request after a whole one ends the connection, without a second answer", async (t) => {
  const socket = await connected(t);
  socket.write(`${REQUEST}\r\n${REQUEST}`);
  t.match(await text(socket), /^HTTP\/1.1 200 .*answer$/s);
});

t.test("an encoding of the connection that is not chunked is named in the answer", async (t) => {
  const socket = await connected(t, { silent: true });
  socket.write("POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: gzip\r\n\r\n");
  t.match(await text(socket), /^HTTP\/1.1 400 .*\r\n\r\n\{"message":"invalid HTTP request: .*Transfer-Encoding.*"\}$/s);
});
