import { once } from "node:events";
import { Agent, type IncomingMessage, type ServerResponse, get } from "node:http";
import { connect } from "node:net";
import { Writable } from "node:stream";
import { text } from "node:stream/consumers";
import t from "tap";
import { listen } from "../../../src/shared/http/http-server.ts";
import { AUTHENTICATED } from "../../../src/shared/http/unauthenticated-connections.ts";
import { until } from "../../helpers/until.ts";

t.test("a client that would keep its connection after its last answer does not hold up the close", async (t) => {
  const { promise: asked, resolve } = Promise.withResolvers<ServerResponse>();
  const listening = await listen((_request, response) => resolve(response), "127.0.0.1", 0);
  // It would keep idle connections for ever.
  listening.server.keepAliveTimeout = 0;
  const agent = new Agent({ keepAlive: true });
  t.teardown(() => agent.destroy());
  const request = get({ port: listening.port, agent });
  const answered = once(request, "response");
  const answer = await asked;
  answer.write("half, ");
  const [response] = await answered;
  const deadlineMs = 60_000;
  const closed = listening.close(deadlineMs).then(() => "closed");
  answer.end("whole");
  t.equal(await text(response), "half, whole", "a response in flight is sent in full");
  const { promise: late, resolve: ring } = Promise.withResolvers<string>();
  const timer = setTimeout(() => ring("late"), deadlineMs / 4);
  t.equal(await Promise.race([closed, late]), "closed");
  clearTimeout(timer);
});

t.test("an answer that does not end is cut at the deadline", async (t) => {
  const listening = await listen((_request, response) => void response.write("half"), "127.0.0.1", 0);
  const request = get({ port: listening.port });
  const [response] = await once(request, "response");
  const cut = t.rejects(text(response), { code: "ECONNRESET" });
  await listening.close(20);
  await cut;
});

t.test("a connection goes on behind a body whose answer came early and whose reader has ended", async (t) => {
  const listening = await listen(
    (request, response) => {
      // Like a proxied server that answers early and reads no more.
      const reader = request.pipe(new Writable({ write: () => undefined }));
      response.once("close", () => reader.destroy());
      response.end(request.url);
    },
    "127.0.0.1",
    0,
  );
  t.teardown(() => listening.close(0));
  const socket = connect(listening.port, "127.0.0.1").setEncoding("utf8");
  t.teardown(() => socket.destroy());
  socket.write(`POST /first HTTP/1.1\r\nhost: x\r\ncontent-length: 1000000\r\n\r\n${"x".repeat(1_000_000)}`);
  socket.end("GET /second HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
  t.match(await text(socket), /\/first.*\/second$/s);
});

t.test("an answer before the end of the body", async (t) => {
  const listening = await listen((request, response) => response.end(request.url), "127.0.0.1", 0);
  t.teardown(() => listening.close(0));
  const open = (head: string) => {
    const socket = connect(listening.port, "127.0.0.1").setEncoding("utf8");
    t.teardown(() => socket.destroy());
    let got = "";
    socket.on("data", (piece: string) => (got += piece)).on("error", () => undefined);
    socket.write(head);
    return { socket, got: () => got };
  };
  const post = (path: string, length: number) =>
    `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-length: ${length}\r\n\r\n`;

  t.test("reaches a client that is still sending, and its connection goes on behind the body", async (t) => {
    const { socket, got } = open(`${post("/first", 20)}0123456789`);
    await until("the answer is there", () => got().endsWith("/first"));
    socket.write(`0123456789${post("/second", 0)}`);
    await until("the next request is answered", () => got().endsWith("/second"));
    t.equal(got().match(/HTTP\/1\.1 200 OK/g)?.length, 2, "nothing of the body was taken for a request");
  });

  t.test("does not make the server read without end", async (t) => {
    const { socket, got } = open(post("/", 1024 ** 4));
    const piece = Buffer.alloc(64 * 1024);
    const send = () => {
      while (!socket.destroyed && socket.write(piece));
    };
    socket.on("drain", send);
    send();
    await until("the connection ends", () => socket.destroyed);
    t.match(got(), /^HTTP\/1\.1 200 OK/);
  });
});

t.test("above the limit the oldest connection without a valid key is closed, and none with one", async (t) => {
  const listening = await listen(
    (request, response) => {
      if (request.headers["x-key"] !== undefined) request.socket.emit(AUTHENTICATED);
      response.end();
    },
    "127.0.0.1",
    0,
    { maxUnauthenticated: 3 },
  );
  t.teardown(() => listening.close(0));
  const ended: string[] = [];
  const open = async (name: string, key = "") => {
    const socket = connect(listening.port, "127.0.0.1");
    t.teardown(() => socket.destroy());
    socket.on("close", () => ended.push(name)).on("error", () => undefined);
    socket.write(`GET / HTTP/1.1\r\nhost: x\r\n${key}\r\n`);
    await once(socket, "data");
    return socket;
  };
  await open("keyed", "x-key: 1\r\n");
  for (const name of ["first", "second", "third", "fourth"]) await open(name);
  await until("one has ended", () => ended.length > 0);
  t.same(ended, ["first"]);
  (await open("keyed too", "x-key: 1\r\n")).destroy();
  await until("another has ended", () => ended.includes("keyed too"));
  t.same(ended, ["first", "second", "keyed too"], "a new client is let in");
});

t.test("a body that is late gets 408, unless it is an upload", async (t) => {
  const uploads = { isOne: ({ method }: IncomingMessage) => method === "PUT", timeoutMs: 60_000 };
  const { promise: received, resolve } = Promise.withResolvers<string>();
  const listening = await listen(
    (request, response) => {
      text(request).then(
        (body) => {
          resolve(body);
          response.end("stored");
        },
        () => undefined,
      );
    },
    "127.0.0.1",
    0,
    { requestTimeoutMs: 100, uploads },
  );
  t.teardown(() => listening.close(0));
  const begin = (method: string) => {
    const socket = connect(listening.port, "127.0.0.1");
    socket.write(`${method} / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 2\r\n\r\na`);
    return socket;
  };
  const upload = begin("PUT");
  // It began later, and has had its time.
  t.match(await text(begin("POST")), /^HTTP\/1.1 408 /);
  upload.write("b");
  t.match(await text(upload), /^HTTP\/1.1 200 .*stored$/s);
  t.equal(await received, "ab");
});
