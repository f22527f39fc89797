import { once } from "node:events";
import { Agent, type ServerResponse, get } from "node:http";
import { text } from "node:stream/consumers";
import t from "tap";
import { listen } from "../../src/kit/http-server.ts";

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
  t.equal(await text(response), "half, whole", "what is in flight is answered to its end");
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
