import { once } from "node:events";
import { type ClientRequest, type IncomingMessage, request as httpRequest } from "node:http";
import t from "tap";
import { BodyBufferLimit } from "../../../src/shared/http/body-buffer-limit.ts";
import { listen } from "../../../src/shared/http/http-server.ts";
import { type BodyRead, readBody } from "../../../src/shared/http/receive-body.ts";
import { until } from "../../helpers/until.ts";

const room = new BodyBufferLimit({ total: 32_768, each: 16_384 });
const bodies: Promise<BodyRead>[] = [];
const listening = await listen(
  (request, response) => {
    const body = readBody(request, { maxBytes: 16_384, room, owner: request.url ?? "" });
    bodies.push(body);
    void body.then(({ kind }) => response.end(kind));
  },
  "127.0.0.1",
  0,
);
t.teardown(() => listening.close(0));

const post = (path: string): ClientRequest => {
  const request = httpRequest({ port: listening.port, method: "POST", path });
  request.on("error", () => undefined);
  return request;
};
const answer = async (request: ClientRequest): Promise<string> => {
  const [response] = (await once(request, "response")) as [IncomingMessage];
  return (await response.setEncoding("utf8").toArray()).join("");
};

t.test("a body comes whole, in pieces of any size, until it is released", async (t) => {
  const request = post("/whole");
  for (let piece = 0; piece < 100; piece++) request.write("x".repeat(piece));
  request.end();
  t.equal(await answer(request), "read");
  const body = await bodies.at(-1);
  if (body?.kind !== "read") throw new Error("not read");
  t.equal(Buffer.from(body.bytes).toString(), "x".repeat(4950));
  body.release();
  body.release();
  t.equal(body.bytes.length, 0);
});

t.test("a body without a declared length is refused where it passes its bound", async (t) => {
  const request = post("/large");
  request.write("x".repeat(20_000));
  t.equal(await answer(request), "too_large");
  request.destroy();
});

t.test("an owner's room is used up by what it has sent, and another's is not", async (t) => {
  const first = post("/crowded");
  first.write("x".repeat(16_000));
  const before = bodies.length;
  await until("the first has taken its room", () => {
    if (!room.take("/crowded", 16_384)) return true;
    room.give("/crowded", 16_384);
    return false;
  });
  const second = post("/crowded");
  second.write("x".repeat(16_000));
  t.equal(await answer(second), "no_room");
  second.destroy();
  const other = post("/other");
  other.end("x".repeat(16_000));
  t.equal(await answer(other), "read");
  first.destroy();
  t.match(await bodies[before], { kind: "cut_off" }, "who leaves gives its room back");
  const again = post("/crowded");
  again.end("x".repeat(16_000));
  t.equal(await answer(again), "read");
});
