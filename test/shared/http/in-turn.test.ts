import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { connect } from "node:net";
import t, { type Test } from "tap";
import { listen } from "../../../src/shared/http/http-server.ts";
import { until } from "../../helpers/until.ts";

const requests = (count: number) =>
  Array.from({ length: count }, (_, index) => `GET /${index} HTTP/1.1\r\nhost: x\r\n\r\n`).join("");

/** A server that notes each request and answers none by itself, and a client that has sent so many at once. */
async function pipelining(t: Test, count: number) {
  const asked: (readonly [IncomingMessage, ServerResponse])[] = [];
  const listening = await listen((...one) => void asked.push(one), "127.0.0.1", 0);
  t.teardown(() => listening.close(0));
  const socket = connect(listening.port, "127.0.0.1").setEncoding("utf8");
  t.teardown(() => socket.destroy());
  let got = "";
  socket.on("data", (piece: string) => (got += piece)).on("error", () => undefined);
  await once(socket, "connect");
  socket.write(requests(count));
  await until("the first request is there", () => asked.length > 0);
  return { asked, socket, got: () => got };
}

t.test("requests that one connection sends at once are handled one after the other", async (t) => {
  const { asked, got } = await pipelining(t, 3);
  for (let index = 0; index < 3; index++) {
    await until("the next one is handled", () => asked.length > index);
    t.equal(asked.length, index + 1, "no call starts before its turn");
    asked[index]?.[1].end(`answer ${index};`);
  }
  await until("all are answered", () => got().endsWith("answer 2;"));
  t.same(got().match(/answer \d/g), ["answer 0", "answer 1", "answer 2"]);
});

t.test("a connection that sends requests without end is ended", async (t) => {
  const { asked, socket } = await pipelining(t, 10_000);
  await until("it has ended", () => socket.destroyed);
  t.equal(asked.length, 1);
});

t.test("when a connection ends, each request that was handled learns of it", async (t) => {
  const { asked, socket } = await pipelining(t, 5);
  const open = new Set(asked.map(([, response]) => response));
  for (const response of open) response.once("close", () => open.delete(response));
  socket.destroy();
  await until("all have closed", () => open.size === 0);
  t.equal(asked.length, 1, "the other calls did not start");
});
