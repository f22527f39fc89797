import type { ServerResponse } from "node:http";
import t, { type Test } from "tap";
import { ORCHESTRATOR_EVENTS } from "../../src/contract/orchestrator/event-types.ts";
import type { EventRecord } from "../../src/contract/orchestrator/event.ts";
import { type FakeServer, fault, product, startFakeServer } from "../helpers/fake-server.ts";
import { orchctlFor } from "../helpers/orchctl.ts";

const KEY = { ORCH_PLATFORM_KEY: "orchp_of-the-test", ORCH_ADMIN_KEY: "admin-key-of-the-test" };
const NOTHING_SEEN = "evt_00000000-0000-0000-0000-000000000000";

/** The column of types is as wide as the longest one. */
const column = (type: string): string =>
  type.padEnd(Math.max(...Object.keys(ORCHESTRATOR_EVENTS).map(({ length }) => length)));

function event(id: string, more: Partial<EventRecord> = {}): EventRecord {
  return {
    id,
    type: "engine.running",
    time: "2026-11-01T12:00:00.000Z",
    product_id: "prd_1",
    user_id: "alice",
    engine_id: "eng_1",
    incarnation: "i1",
    from: "starting",
    to: "running",
    reason: null,
    actor: "product",
    request_id: null,
    data: {},
    ...more,
  };
}

function open(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.flushHeaders();
}

const frame = (event: EventRecord) => `id: ${event.id}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;

/** Answers the history with these, the newest first, and each stream in its turn as the next handler says. */
function feed(
  server: FakeServer,
  route: string,
  history: readonly EventRecord[],
  streams: readonly ((response: ServerResponse) => void)[] = [],
): void {
  const left = [...streams];
  server.on(route, ({ headers }, response) => {
    if (!headers.accept?.includes("text/event-stream")) return { body: { data: history, next_cursor: null } };
    const next = left.shift();
    if (next === undefined) return fault(401, "INVALID_PLATFORM_KEY", "no more streams");
    next(response);
    return undefined;
  });
}

const lastSeen = (server: FakeServer) =>
  server.calls.flatMap(({ headers: { "last-event-id": id } }) => (id === undefined ? [] : [id]));

t.test("events are printed like a log, the newest last, with what changed and why", async (t) => {
  const server = await startFakeServer(t);
  const orchctl = orchctlFor(t, server);
  feed(server, "GET /events", [
    event("evt_4", {
      type: "engine.crashed",
      from: "running",
      to: "backoff",
      reason: "exited with code 1",
      data: {
        phase: "run",
        reason: "exited with code 1",
        exit_code: 1,
        signal: null,
        oom: false,
        log_tail: [
          '{"level":50,"time":"2026-11-01T12:00:00.000Z","name":"engine","err":{"type":"Error","message":"disk I/O error","stack":"Error: …\\n  at x"},"msg":"uncaught exception"}',
          '{"level":50,"time":"2026-11-01T12:00:00.000Z","err":{"message":"no \\"space\\" left","stack":"Err',
          "plain words",
        ],
      },
    }),
    event("evt_3", { type: "engine.leaked", from: "stopping", to: "stop_failed", data: { pids: [7, 8] } }),
    event("evt_2", { type: "engine.crashed", to: "backoff", from: "running", reason: "exit \u001b[31m1" }),
    event("evt_1", { type: "product.registered", user_id: null, from: null, to: null, data: { slug: "demo" } }),
  ]);
  const ran = await orchctl(["events"], { env: KEY });
  t.equal(ran.code, 0, ran.stderr);
  t.same(ran.stdout.trim().split("\n"), [
    `2026-11-01T12:00:00.000Z  ${column("product.registered")}  -  slug=demo`,
    String.raw`2026-11-01T12:00:00.000Z  ${column("engine.crashed")}  alice  running → backoff  exit \u{1b}[31m1`,
    `2026-11-01T12:00:00.000Z  ${column("engine.leaked")}  alice  stopping → stop_failed  pids=7,8`,
    `2026-11-01T12:00:00.000Z  ${column("engine.crashed")}  alice  running → backoff  exited with code 1  phase=run  ` +
      'exit_code=1  log: uncaught exception: disk I/O error; no "space" left; plain words',
  ]);
  const json = await orchctl(["events", "-n", "2", "--json"], { env: KEY });
  t.same(
    json.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).id),
    ["evt_3", "evt_4"],
  );
});

t.test("the last events of a type are looked for as far back as needed, and no further", async (t) => {
  const server = await startFakeServer(t);
  const orchctl = orchctlFor(t, server);
  const page = (cursor: string | null) => {
    if (cursor === null) return { data: [event("evt_9"), event("evt_8")], next_cursor: "evt_8" };
    if (cursor === "evt_8") return { data: [event("evt_7", { type: "engine.crashed" })], next_cursor: "evt_7" };
    return { data: [], next_cursor: null };
  };
  server.on("GET /events", ({ path }) => ({ body: page(new URL(path, "http://x").searchParams.get("cursor")) }));
  const ran = await orchctl(["events", "--type", "engine.crashed", "-n", "1", "--json"], { env: KEY });
  t.equal(JSON.parse(ran.stdout).id, "evt_7");
  t.same(
    server.calls.map(({ path }) => path),
    ["/events?limit=200", "/events?limit=200&cursor=evt_8"],
  );
  const both = ["--type", "engine.crashed", "--type", "engine.running"];
  t.equal((await orchctl(["events", ...both, "-n", "2", "--json"], { env: KEY })).stdout.trim().split("\n").length, 2);
});

t.test("a stream that is cut goes on behind the last event, each event once", async (t) => {
  const server = await startFakeServer(t);
  const orchctl = orchctlFor(t, server);
  feed(
    server,
    "GET /engines/alice/events",
    [event("evt_1")],
    [
      (response) => {
        open(response);
        // The daemon dies in the middle of a frame: what is not whole has not been seen.
        response.write(`: keep-alive\n\n${frame(event("evt_2"))}${frame(event("evt_3")).slice(0, 40)}`, () =>
          response.destroy(),
        );
      },
      (response) => {
        open(response);
        response.end(frame(event("evt_2")) + frame(event("evt_3")));
      },
    ],
  );
  const ran = await orchctl(["events", "alice", "-f", "--json"], { env: KEY });
  t.equal(ran.code, 3, "a key that is no longer good ends it");
  const ids = ran.stdout.trim().split("\n");
  t.same(
    ids.map((line) => JSON.parse(line).id),
    ["evt_1", "evt_2", "evt_3"],
  );
  t.same(lastSeen(server), ["evt_1", "evt_2", "evt_3"]);
  t.match(
    ran.stderr,
    /"note":"orchctl: the event stream is lost \(.*\); reconnecting …"}\n{"note":"orchctl: reconnected"}\n/,
  );
});

t.test("a follower from before the first event misses nothing and sees no gap", async (t) => {
  const server = await startFakeServer(t);
  const orchctl = orchctlFor(t, server);
  const gap = `event: gap\ndata: ${JSON.stringify({ after: NOTHING_SEEN })}\n\n`;
  feed(
    server,
    "GET /events",
    [],
    [
      (response) => {
        open(response);
        response.end(gap + frame(event("evt_1")));
      },
      (response) => {
        open(response);
        response.end(gap + frame(event("evt_5")));
      },
    ],
  );
  const { stdout, stderr } = await orchctl(["events", "-f", "--json"], { env: KEY });
  t.same(lastSeen(server), [NOTHING_SEEN, "evt_1", "evt_5"]);
  t.equal(stdout.trim().split("\n").length, 2);
  t.equal(stderr.split("no longer stored").length, 2, "the second gap is one");
});

t.test("--all is the admin's: every product, or by --product one, and its lines name the product", async (t) => {
  const server = await startFakeServer(t);
  const orchctl = orchctlFor(t, server);
  server.on("GET /products/demo", { body: product({ id: "prd_7" }) });
  feed(server, "GET /admin/events", [event("evt_1")]);
  const all = await orchctl(["events", "--all"], { env: KEY });
  t.match(all.stdout, `${column("engine.running")}  prd_1  alice  starting → running`);
  t.equal(server.calls.at(-1)?.path, "/admin/events?limit=200");
  t.equal(server.calls.at(-1)?.headers["x-admin-key"], KEY.ORCH_ADMIN_KEY);
  t.notOk(server.calls.at(-1)?.headers["x-platform-key"], "no other key travels with it");
  await orchctl(["events", "--all", "--product", "demo"], { env: KEY });
  t.equal(server.calls.at(-1)?.path, "/admin/events?limit=200&product_id=prd_7");
  t.equal((await orchctl(["events", "alice", "--all"], { env: KEY })).code, 2);
});

t.test("nonsense is refused before anything is asked", async (t) => {
  const server = await startFakeServer(t);
  const orchctl = orchctlFor(t, server);
  for (const args of [
    ["-n", "-5"],
    ["-n", "1e9"],
    ["--type", "engine.nope"],
    ["--type", "toString"],
    ["alice", "bob"],
    [""],
  ]) {
    const ran = await orchctl(["events", ...args], { env: KEY });
    t.equal(ran.code, 2, args.join(" "));
    t.equal(ran.stdout, "");
  }
  t.equal(server.calls.length, 0);
});

t.test("a server that is no daemon is reported as such, not followed for ever", async (t) => {
  const server = await startFakeServer(t);
  const orchctl = orchctlFor(t, server);
  for (const body of [{ hello: "world" }, null, [], "text"]) {
    server.on("GET /events", { body });
    const ran = await orchctl(["events"], { env: KEY });
    t.equal(ran.code, 1);
    t.match(ran.stderr, /^orchctl: .* is not an answer of orchd.*\n\(ORCH_URL or --url sets the daemon's address\)/);
  }
  server.on("GET /events", { body: { data: [], next_cursor: null } });
  const ran = await orchctl(["events", "-f"], { env: KEY });
  t.equal(ran.code, 1);
  t.match(ran.stderr, /answered 200 with content type application\/json, which is not an answer of orchd/);
  server.on("GET /events", ({ headers }, response) => {
    if (!headers.accept?.includes("text/event-stream")) return { body: { data: [], next_cursor: null } };
    open(response);
    response.write("event: x\ndata: {no json\n\n");
    return undefined;
  });
  t.match((await orchctl(["events", "-f"], { env: KEY })).stderr, /an event of the stream is not JSON/);
});

t.test("Ctrl-C ends a follower, as it ends logs -f", async (t: Test) => {
  const server = await startFakeServer(t);
  const orchctl = orchctlFor(t, server);
  feed(server, "GET /events", [event("evt_1")], [(response) => open(response)]);
  const interrupt = {
    env: KEY,
    onOutput: (_: string, child: { kill(signal: "SIGINT"): boolean }) => child.kill("SIGINT"),
  };
  const ran = await orchctl(["events", "-f"], interrupt);
  t.equal(ran.code, 130);
  t.equal(ran.stderr, "");
});

t.test("--since ends the history at its time, and shows all events after it", async (t) => {
  const server = await startFakeServer(t);
  const orchctl = orchctlFor(t, server);
  const recent = (id: string, agoS: number) => event(id, { time: new Date(Date.now() - agoS * 1000).toISOString() });
  const fresh = Array.from({ length: 60 }, (_, index) => recent(`evt_${100 - index}`, index));
  feed(server, "GET /events", [...fresh, recent("evt_1", 3600)]);
  const ids = async (...options: string[]) => {
    const { stdout } = await orchctl(["events", "--json", ...options], { env: KEY });
    return stdout
      .trim()
      .split("\n")
      .map((line): string => JSON.parse(line).id);
  };
  t.same(await ids("--since", "10m"), fresh.map(({ id }) => id).toReversed());
  t.same(await ids("--since", "10m", "-n", "2"), ["evt_99", "evt_100"]);
  t.equal((await ids()).length, 50);
});
