import { once } from "node:events";
import { connect } from "node:net";
import t from "tap";
import { ask } from "../../helpers/api.ts";
import { KEY, engineParts, says, scriptedProvider, servedParts } from "../../helpers/engine-parts.ts";
import { openStream, startEngine } from "../../helpers/engine.ts";
import { until } from "../../helpers/until.ts";

const headers = { "x-engine-key": KEY };
const frames = { ...headers, accept: "text/event-stream" };

t.test("a body is refused, or read, in words of the interface, never as our fault", async (t) => {
  const url = await servedParts(t, engineParts(t));
  const execute = (fields: string) =>
    ask(url, "/execute", { method: "POST", headers, body: `{"task_id":"odd","message":"x"${fields}}` });
  const levels = (count: number) => `{"a":${"[".repeat(count)}${"]".repeat(count)}}`;
  const deep = levels(40);
  t.match(await execute(`,"metadata":${levels(100_000)}`), {
    status: 400,
    body: { message: /^body: expected at most/ },
  });
  t.match(await execute(`,"metadata":${deep}`), { status: 400, body: { message: /^metadata: expected at most/ } });
  t.match(await execute(String.raw`,"message":"\ud800"`), { status: 400, body: { message: /^message:.*surrogates/ } });
  t.match(await execute(String.raw`,"\ud800":${deep}`), { status: 200, headers: { "x-ignored-fields": "%EF%BF%BD" } });
});

t.test("an engine answers to its whole address as to its path", async (t) => {
  const engine = await startEngine(t);
  t.match(await ask(engine.url, `${engine.url}/health`), { status: 200, body: { status: "ok" } });
  t.match(await engine.call(`${engine.url}/hitl/pending`), { status: 200, body: { requests: [] } });
});

t.test("malformed HTTP gets an error in the usual form, but never inside an answer", async (t) => {
  const { url, key, launch } = await startEngine(t);
  const bytes = async (sent: string, enough: RegExp): Promise<string> => {
    const socket = connect(launch.port, launch.host).setEncoding("utf8");
    t.teardown(() => socket.destroy());
    const closed = once(socket, "close");
    let got = "";
    socket.on("data", (text: string) => (got += text)).on("error", () => undefined);
    socket.write(sent);
    await until(`${String(enough)} comes`, () => enough.test(got));
    socket.write("\r\n\r\nno HTTP at all\r\n\r\n");
    await closed;
    return got;
  };
  t.match(await bytes("\u0016\u0003\u0001\r\n\r\n", /\}$/), /^HTTP\/1.1 400 .*\r\n\r\n\{"error":"INVALID_REQUEST",/s);
  const large = `GET /health HTTP/1.1\r\nhost: x\r\nx: ${"x".repeat(20_000)}\r\n\r\n`;
  t.match(await bytes(large, /\}$/), /^HTTP\/1.1 431 .*"error":"INVALID_REQUEST"/s);
  const body = '{"task_id":"x","message":"/say so\\n/slow 60000"}';
  const execute = `POST /execute HTTP/1.1\r\nhost: x\r\nx-engine-key: ${key}\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
  t.notMatch(await bytes(execute, /"so"/), /INVALID_REQUEST/);
  t.match(await ask(url, "/health"), { status: 200 });
});

t.test("a HEAD has no stream to follow", async (t) => {
  const url = await servedParts(t, engineParts(t));
  const answer = await ask(url, "/execute/replay?follow=true", { method: "HEAD", headers: frames });
  t.match(answer, { status: 200, headers: { "content-type": /event-stream/ }, text: "" });
});

t.test("replay finds the place of any client", async (t) => {
  const parts = engineParts(t, { provider: scriptedProvider(says("one")) });
  const url = await servedParts(t, parts);
  const told = await parts.turn("place");
  const rest = async (query: string, more: Readonly<Record<string, string>> = {}) => {
    const { body } = await ask(url, `/execute/replay?${query}`, { headers: { ...headers, ...more } });
    return body.events?.map(({ data }: { data: { seq: number } }) => data.seq) ?? body.message;
  };
  const third = String(told[2]?.data["ts"]);
  const local = third.slice(0, -1);
  for (const time of [third, local, `${local}000+00:00`, `${local}+00:00`.replace("+", "%2B")])
    t.same(await rest(`after=${time}`), [4, 5, 6], time);

  t.same(await rest("after=1", { "last-event-id": "4" }), [5, 6], "how far it came counts more than where it began");
  t.same(await rest(`after=${third}`, { "last-event-id": "5" }), [6]);
  t.same(await rest("after=5", { "last-event-id": "1" }), [6]);
  t.same(await rest("after=5", { "last-event-id": "any" }), [6]);
  t.same(await rest("after=5", { "last-event-id": "" }), [6]);
  t.same(await rest("", { "last-event-id": "" }), [1, 2, 3, 4, 5, 6]);
  t.match(await rest("", { "last-event-id": "any" }), /^after: expected/);

  const some = await openStream(url, "/execute/replay?limit=2", { headers: frames });
  t.equal((await some.all()).length, 2, "as frames, no more than asked for either");
  t.match(await ask(url, "/execute/replay?limit=0", { headers: frames }), { status: 400 });
});

t.test("events of any size are replayed within bounds", async (t) => {
  const parts = engineParts(t);
  const { journal } = parts;
  const url = await servedParts(t, parts);
  const text = "x".repeat(1024 * 1024);
  for (let count = 0; count < 20; count++) journal.append("large", "turn", { event: "text_delta", data: { text } });
  journal.flush();
  let [got, after] = [0, "0"];
  for (;;) {
    const page = await ask(url, `/execute/replay?limit=10000&after=${after}`, { headers });
    if (page.body.events.length === 0) break;
    t.ok(page.text.length < 6 * 1024 * 1024, "a page holds less when its events are large");
    for (const { data } of page.body.events) got += data.text.length;
    after = page.body.next_after;
  }
  t.equal(got, 20 * text.length, "the text is complete");
  t.equal(journal.read({ limit: 10_000, maxLength: 1 }).length, 1);
});

t.test("a path is found in any case, and its other methods are refused in words of the interface", async (t) => {
  const url = await servedParts(t, engineParts(t));
  t.match(await ask(url, "/HITL/Pending/", { headers }), { status: 200, body: { requests: [] } });
  for (const method of ["OPTIONS", "DELETE"])
    t.match(await ask(url, "/hitl/pending", { method, headers }), {
      status: 405,
      headers: { allow: "GET" },
      body: { error: "METHOD_NOT_ALLOWED" },
    });
  t.match(await ask(url, "/%68itl/pending", { headers }), { status: 404, body: { error: "NOT_FOUND" } });
  t.match(await ask(url, "/tasks/%ff", { headers }), { status: 400, body: { message: /^path: / } });
});
