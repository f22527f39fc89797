import { once } from "node:events";
import { createServer, get } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import express from "express";
import t, { type Test } from "tap";
import { EventStream, STREAM_LIMITS } from "../../../src/engine/http/event-stream.ts";

const LENGTH = 20_000_000;

/** One stream that is written and ended at once; gives the reader's end, unread, and when the other end closes. */
async function endedStream(t: Test, maxQueuedMs: number) {
  const closed = Promise.withResolvers<boolean>();
  const app = express().get("/", async (_request, response) => {
    response.once("close", () => closed.resolve(response.writableFinished));
    const limits = { ...STREAM_LIMITS, maxQueuedMs };
    const stream = EventStream.open(response, { withIds: false, limits, wants: () => true, cut: () => null });
    const body = JSON.stringify({ text: "x".repeat(LENGTH) });
    stream.write([{ seq: 1, type: "text_delta", data: body }]);
    stream.end();
  });
  const server = createServer(app).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const [response] = await once(get(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`), "response");
  return { response, closed: closed.promise };
}

t.test("a reader that leaves the end of its stream unread is cut off", async (t) => {
  const { response, closed } = await endedStream(t, 100);
  response.on("error", () => undefined);
  t.equal(await closed, false, "what it did not read is dropped");
});

t.test("a reader that reads the end slowly is not", async (t) => {
  const { response, closed } = await endedStream(t, 2000);
  let length = 0;
  for await (const chunk of response) {
    length += (chunk as Buffer).length;
    // As a whole it takes longer than the limit, from piece to piece much less.
    await sleep(12);
  }
  t.ok(length > LENGTH);
  t.equal(await closed, true);
});
