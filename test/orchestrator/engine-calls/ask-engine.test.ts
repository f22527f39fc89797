import { once } from "node:events";
import { type AddressInfo, type Socket, createServer } from "node:net";
import t from "tap";
import { askEngine } from "../../../src/orchestrator/engine-calls/ask-engine.ts";

const WHOLE = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}";
const BEGUN = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{";

t.test("an engine that dies during a response on a reused connection fails only that call", async (t) => {
  const unhandled: unknown[] = [];
  const note = (error: unknown) => unhandled.push(error);
  process.on("unhandledRejection", note);
  t.teardown(() => process.off("unhandledRejection", note));
  const questions: Socket[] = [];
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.on("data", () => {
      questions.push(socket);
      if (questions.length === 1) socket.write(WHOLE);
      else {
        server.close();
        socket.write(BEGUN, () => socket.resetAndDestroy());
      }
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/health`;

  t.match(await askEngine({ url, timeoutMs: 5000 }), { kind: "answered", status: 200 });
  t.match(await askEngine({ url, timeoutMs: 5000 }), { kind: "failed" });
  // A retry of the previous call would have failed by now.
  t.match(await askEngine({ url, timeoutMs: 5000 }), { kind: "failed", reason: "nothing listens on the port" });
  t.equal(questions[1], questions[0], "on the same connection");
  t.equal(questions.length, 2, "it is not asked again: it had begun to answer");
  t.same(unhandled, []);
});
