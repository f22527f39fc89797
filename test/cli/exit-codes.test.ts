import { once } from "node:events";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import t from "tap";
import { nodeFetch } from "../../cli/node-fetch.ts";
import { createHealthClient } from "../../src/client/health-client.ts";
import { fault, startFakeServer } from "../helpers/fake-server.ts";
import { orchctlFor } from "../helpers/orchctl.ts";

const KEY = { ORCH_PLATFORM_KEY: "orchp_of-the-test" };

t.test("each kind of refusal has its exit code", async (t) => {
  const server = await startFakeServer(t);
  const orchctl = orchctlFor(t, server);
  for (const [status, code] of [
    [400, 2],
    [401, 3],
    [403, 3],
    [404, 4],
    [409, 5],
    [429, 6],
    [500, 7],
    [503, 7],
    [504, 8],
  ] as const) {
    server.on("GET /engines/alice", fault(status, "A_CODE", "in words"));
    const ran = await orchctl(["engines", "show", "alice"], { env: KEY, ownProcess: status === 404 });
    t.equal(ran.code, code, `status ${status}`);
    t.equal(ran.stdout, "");
    t.equal(
      ran.stderr,
      `orchctl: in words (A_CODE, user alice, key of ORCH_PLATFORM_KEY, ${server.url}, request req-1)\n`,
    );
  }
});

t.test("with --json an error is one document, on standard error", async (t) => {
  const server = await startFakeServer(t);
  const orchctl = orchctlFor(t, server);
  server.on("GET /engines/alice", fault(404, "ENGINE_NOT_FOUND", "no engine"));
  const refused = await orchctl(["engines", "show", "alice", "--json"], { env: KEY });
  t.match(JSON.parse(refused.stderr), { error: { code: "ENGINE_NOT_FOUND", message: /^no engine/ } });
  const wrong = await orchctl(["engines", "show", "--json"], { env: KEY });
  t.equal(wrong.code, 2);
  t.match(JSON.parse(wrong.stderr), { error: { code: "usage", message: /missing required argument 'user'/ } });
  for (const words of [["engines"], []]) {
    const { code, stderr } = await orchctl([...words, "--json"]);
    t.equal(code, 2);
    t.same(JSON.parse(stderr), { error: { code: "usage", message: "expected a command" } });
  }
});

t.test("a server that is no daemon is reported as such", async (t) => {
  const server = await startFakeServer(t);
  const orchctl = orchctlFor(t, server);
  server.on("GET /engines/alice", { body: "<html>hello</html>" });
  const ran = await orchctl(["engines", "show", "alice"], { env: KEY });
  t.not(ran.code, 0);
  t.match(
    ran.stderr,
    /is not an answer of orchd; check the address.*\n\(ORCH_URL or --url sets the daemon's address\)/,
  );
  t.equal((await orchctl(["health", "--url", "ftp://nowhere"])).code, 2);
});

t.test("an unreachable daemon is reported with its address and advice", async (t) => {
  const closed = createServer().listen(0, "127.0.0.1");
  await once(closed, "listening");
  const { port } = closed.address() as AddressInfo;
  closed.close();
  await once(closed, "close");
  const url = `http://127.0.0.1:${port}`;
  const ran = await orchctlFor(t, { url })(["health"]);
  t.equal(ran.code, 7);
  t.match(
    ran.stderr,
    `orchctl: ${url} does not answer (ECONNREFUSED) (UNREACHABLE)\n(is the daemon running? npm start`,
  );
});

t.test("a server that accepts and says nothing, or stops in the middle, is not waited for for ever", async (t) => {
  const server = await startFakeServer(t);
  const limits = { retries: 0, deadlineMs: 50 };
  const client = createHealthClient({ url: server.url, fetch: nodeFetch, limits });
  const late = { code: "TIMEOUT", message: /did not answer within 0\.05 s/ };
  server.on("GET /health", () => new Promise<void>(() => undefined));
  await t.rejects(client.health(), late);
  server.on("GET /health", (_call, response) => void response.write("half"));
  await t.rejects(client.health(), late);
});

t.test("wrong usage is reported briefly, help in full", async (t) => {
  const orchctl = orchctlFor(t, { url: "http://127.0.0.1:1" });
  const wrong = await orchctl(["engines", "destory", "alice"]);
  t.equal(wrong.code, 2);
  t.match(wrong.stderr, /^orchctl: unknown command 'destory'/);
  t.match(wrong.stderr, /Did you mean destroy\?/);
  t.equal((await orchctl(["--help"])).code, 0);
  t.equal((await orchctl(["--version"])).code, 0);
});
