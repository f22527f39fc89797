import t, { type Test } from "tap";
import { gzipSync } from "node:zlib";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createUserClient } from "../../src/client/user-client.ts";
import type { TokenSource } from "../../src/client/token-fetch.ts";
import { type FakeServer, startFakeServer } from "../helpers/fake-server.ts";
import { COMPLETED, QUICK, STARTED, frames, open, text } from "./wire.ts";

const MESSAGE = { message: "hi", taskId: "t" };
const TASKS = { tasks: [], next_cursor: null };
const REFUSED = { status: 401, body: { error: "INVALID_TOKEN", message: "expired" } };

async function withServer(t: Test, source: TokenSource) {
  const server = await startFakeServer(t);
  const valid = { token: "t2" };
  const answer = (server: FakeServer) => server.calls.at(-1)?.headers["authorization"] === `Bearer ${valid.token}`;
  server.on("GET /me/tasks", () => (answer(server) ? { status: 200, body: TASKS } : REFUSED));
  server.on("POST /me/execute", (_call, response) => {
    if (!answer(server)) return REFUSED;
    open(response);
    response.end(frames([STARTED, text("a"), COMPLETED]));
    return undefined;
  });
  return { server, valid, client: createUserClient({ url: server.url, ...source, limits: QUICK }) };
}

const tokensOf = ({ calls }: FakeServer) => calls.map(({ headers }) => headers["authorization"]);

t.test("a token is sent as a bearer, and no key", async (t) => {
  const { server, client } = await withServer(t, { token: "t2" });
  t.equal(await client.execute(MESSAGE).text(), "a");
  t.same(tokensOf(server), ["Bearer t2"]);
  t.notOk("x-engine-key" in (server.calls[0]?.headers ?? {}));
});

t.test("a token that is refused is renewed once, by all calls together", async (t) => {
  let asked = 0;
  const { server, client } = await withServer(t, { getToken: async () => `t${++asked}` });
  const [turn] = await Promise.all([client.execute(MESSAGE).text(), client.listTasks(), client.listTasks()]);
  t.equal(turn, "a");
  t.equal(asked, 2);
  t.equal(tokensOf(server).filter((one) => one === "Bearer t1").length, 3);
  t.equal(tokensOf(server).filter((one) => one === "Bearer t2").length, 3);
  await client.listTasks();
  t.equal(asked, 2, "and used until it is refused");
});

t.test("a new token that is refused too is an error", async (t) => {
  let asked = 0;
  const { client } = await withServer(t, { getToken: () => `old${++asked}` });
  await t.rejects(client.listTasks(), { code: "INVALID_TOKEN", status: 401 });
  t.equal(asked, 2);
});

t.test("a token alone is not renewed", async (t) => {
  const { server, client } = await withServer(t, { token: "t1" });
  await t.rejects(client.listTasks(), { code: "INVALID_TOKEN" });
  t.equal(server.calls.length, 1);
});

t.test("a function that fails is asked again, and its error is named", async (t) => {
  let asked = 0;
  const { client } = await withServer(t, {
    getToken: () => {
      if (++asked === 1) throw new Error("backend is restarting");
      return "t2";
    },
  });
  await client.listTasks();
  t.equal(asked, 2);
  const gone = createUserClient({
    url: "http://127.0.0.1:9",
    getToken: () => Promise.reject(new Error("no login")),
    limits: { ...QUICK, retries: 1 },
  });
  await t.rejects(gone.listTasks(), { code: "NO_TOKEN", message: "getToken: Error: no login" });
});

t.test("a token that is no header value is not sent", async (t) => {
  const { server, client } = await withServer(t, { getToken: () => "a\r\nb" });
  await t.rejects(client.listTasks(), { code: "NO_TOKEN" });
  await t.rejects(createUserClient({ url: server.url, token: "" }).listTasks(), { code: "INVALID_ARGUMENT" });
  t.equal(server.calls.length, 0);
});

t.test("a call ends while its token is awaited", async (t) => {
  const token = Promise.withResolvers<string>();
  const { client } = await withServer(t, { getToken: () => token.promise });
  const abort = new AbortController();
  const call = client.listTasks({ signal: abort.signal });
  abort.abort(new Error("left"));
  await t.rejects(call, { message: "left" });
  token.resolve("t2");
});

t.test("the module for browsers has at most 12 KB, compressed", (t) => {
  const built = readFileSync(join(import.meta.dirname, "../../src/client/dist/browser.js"));
  t.ok(gzipSync(built, { level: 9 }).length <= 12_000, `${gzipSync(built, { level: 9 }).length} bytes`);
  t.notMatch(built.toString(), /^import /m);
  t.end();
});
