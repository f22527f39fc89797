import { once } from "node:events";
import { type ServerResponse, createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import t from "tap";
import { dropStalledReader } from "../../../src/orchestrator/http/stream-signal.ts";

const MEGABYTE = "x".repeat(1_048_576);

t.test("a reader that never reads is dropped; one that is merely idle is not", async (t) => {
  const responses: ServerResponse[] = [];
  const server = createServer((_, response) => {
    dropStalledReader(response, 200);
    response.write("hello");
    responses.push(response);
    server.emit("answered");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.teardown(() => server.closeAllConnections());
  t.teardown(() => void server.close());
  const open = async () => {
    const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
    t.teardown(() => void socket.destroy());
    socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    socket.pause();
    await once(server, "answered");
    return responses.at(-1) as ServerResponse;
  };
  const idle = await open();
  const stalled = await open();
  for (let at = 0; at < 16; at++) stalled.write(MEGABYTE);
  t.ok(stalled.writableNeedDrain);
  await once(stalled, "close");
  t.notOk(idle.destroyed);
});
