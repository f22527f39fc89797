import t from "tap";
import { OnceCalls } from "../../src/broker/once-calls.ts";
import type { OnceAnswer, OnceCall } from "../../src/contract/broker/once-call.ts";
import { until } from "../helpers/until.ts";

const call = (id: string): OnceCall => ({ id, url: "https://a.example", headers: {}, body: "", private_hosts: [] });

/** A server whose answers have numbers. Until `answer` is called, none of them arrives. */
function slowServer(status: number) {
  const waiting: (() => void)[] = [];
  let sent = 0;
  return {
    sent: () => sent,
    answer: () => waiting.splice(0).forEach((release) => release()),
    send: async (): Promise<OnceAnswer> => {
      const body = String(++sent);
      await new Promise<void>((resolve) => waiting.push(resolve));
      return { kind: "answered", status, headers: {}, body };
    },
  };
}

t.test("daemons that ask at once, and those that ask again, share one request and its answer", async (t) => {
  const server = slowServer(200);
  const calls = new OnceCalls({ send: server.send });
  const both = Promise.all([calls.run(call("a")), calls.run(call("a"))]);
  server.answer();
  t.match(await both, [{ body: "1" }, { body: "1" }]);
  t.match(await calls.run(call("a")), { body: "1" }, "the next daemon");
  const other = calls.run(call("b"));
  server.answer();
  t.match(await other, { body: "2" }, "another use of a token");
  calls.stored("a");
  t.same(await calls.run(call("a")), { kind: "stored" }, "a daemon that was frozen meanwhile sends nothing");
  t.equal(server.sent(), 2);
});

t.test("a refusal or a failure is not kept: the same call is sent again", async (t) => {
  for (const status of [400, 503]) {
    const server = slowServer(status);
    const calls = new OnceCalls({ send: server.send });
    for (const body of ["1", "2"]) {
      const asked = calls.run(call("a"));
      server.answer();
      t.match(await asked, { status, body });
    }
  }
  let tries = 0;
  const calls = new OnceCalls({ send: async () => ({ kind: "failed", reason: `try ${++tries}` }) });
  t.match(await calls.run(call("a")), { reason: "try 1" });
  t.match(await calls.run(call("a")), { reason: "try 2" });
});

t.test("an answer is forgotten after its time, and none is dropped for a further call", async (t) => {
  const answered = async ({ id }: OnceCall): Promise<OnceAnswer> => ({
    kind: "answered",
    status: 200,
    headers: {},
    body: id,
  });
  const short = new OnceCalls({ send: slowServer(400).send, keptMs: 1 });
  short.stored("a");
  await until("it is forgotten", async () => {
    const next = await Promise.race([short.run(call("a")), Promise.resolve("sent")]);
    return next === "sent";
  });
  const full = new OnceCalls({ send: answered });
  for (let at = 0; at < 512; at++) await full.run(call(`kept ${at}`));
  t.match(await full.run(call("one more")), { kind: "failed", reason: /keeps too many/ });
  t.match(await full.run(call("kept 0")), { body: "kept 0" });
  full.stored("kept 0");
  t.match(await full.run(call("one more")), { body: "one more" });
});
