import pg from "pg";
import t, { type Test } from "tap";
import type { EventRecord } from "../../src/contract/orchestrator/event.ts";
import type { ServerConnection } from "../../src/orchestrator/postgres/server-session.ts";
import { type Daemon, freePort, startDaemon } from "../helpers/daemon.ts";
import { freshFolder } from "../helpers/folder.ts";
import { orchctlFor } from "../helpers/orchctl.ts";
import { freshDatabase, urlOf } from "../helpers/shared-postgres.ts";
import { until } from "../helpers/until.ts";

const ORCH_ADMIN_KEY = "admin-key-of-the-test";

interface Parts {
  readonly database: ServerConnection;
  readonly daemon: Daemon;
  /** Starts the daemon again where it was. */
  readonly restart: () => Promise<Daemon>;
  readonly orchctl: (...args: string[]) => Promise<string>;
  readonly run: ReturnType<typeof orchctlFor>;
}

async function withDaemon(t: Test): Promise<Parts> {
  const database = await freshDatabase(t);
  const dataDir = freshFolder(t);
  const min = 20_000 + Math.floor(Math.random() * 9000);
  const env = {
    ORCH_ADMIN_KEY,
    ORCH_PORT: String(await freePort()),
    ORCH_PORT_MIN: String(min),
    ORCH_PORT_MAX: String(min + 99),
  };
  const run = orchctlFor(t, { url: `http://127.0.0.1:${env.ORCH_PORT}` });
  const restart = async () => {
    const daemon = await startDaemon(t, { dataDir, databaseUrl: urlOf(database), env });
    // While this daemon runs still: its engines do not end with it.
    t.teardown(() => run(["products", "delete", "demo", "--force", "--yes"], { env: { ORCH_ADMIN_KEY } }));
    return daemon;
  };
  const daemon = await restart();
  const orchctl = async (...args: string[]) => {
    const { code, stdout, stderr } = await run(args, { env: { ORCH_ADMIN_KEY } });
    if (code !== 0) throw new Error(`orchctl ${args.join(" ")} ended with ${code}: ${stderr}`);
    return stdout;
  };
  await orchctl("products", "register", "demo");
  return { database, daemon, restart, orchctl, run };
}

const eventsIn = (lines: string): EventRecord[] =>
  lines
    .split("\n")
    .filter((line) => line.startsWith('{"id"'))
    .map((line) => JSON.parse(line) as EventRecord);

t.test("a follower sees each event once and in order, across a daemon that is killed and starts again", async (t) => {
  const { daemon, restart, orchctl, run } = await withDaemon(t);
  await orchctl("engines", "provision", "alice");
  let seen: EventRecord[] = [];
  let child: { kill(signal: "SIGINT"): boolean } | undefined;
  const following = run(["events", "-f", "-n", "2", "--json"], {
    onOutput: (printed, process) => {
      seen = eventsIn(printed);
      child = process;
    },
  });
  await until("the follower has begun", () => seen.length === 2);
  await orchctl("engines", "stop", "alice");
  await until("the stop is seen", () => seen.at(-1)?.type === "engine.stopped", 30_000);
  await daemon.stop("SIGKILL");
  await restart();
  await orchctl("engines", "provision", "bob");
  await until("bob is seen", () => seen.some(({ user_id, to }) => user_id === "bob" && to === "running"), 45_000);
  child?.kill("SIGINT");
  const { stdout, stderr } = await following;
  t.match(stderr, /stream is lost .*reconnecting …"}\n(.*\n)*{"note":"orchctl: reconnected"}\n/);
  const all = eventsIn(await orchctl("events", "-n", "200", "--json"));
  const followed = eventsIn(stdout);
  t.same(followed, all.slice(-followed.length), "exactly the history's last ones");
  t.same(
    eventsIn(await orchctl("events", "bob", "--json")),
    all.filter(({ user_id }) => user_id === "bob"),
  );
  t.same(eventsIn(await orchctl("events", "nobody", "--json")), []);
});

t.test("drain, resume and status are the host's, and outlive the daemon", async (t) => {
  const { daemon, restart, orchctl, run } = await withDaemon(t);
  await orchctl("engines", "provision", "alice");
  t.match(await orchctl("drain"), "The host takes no new engines; 1 running engine continues.");
  const refused = await run(["engines", "provision", "bob"]);
  t.equal(refused.code, 7);
  t.match(refused.stderr, "SERVICE_UNAVAILABLE");
  await daemon.stop();
  // It is ready only when it takes engines again.
  const ready = restart();
  const asked = () => run(["status"], { env: { ORCH_ADMIN_KEY } });
  await until(
    "the daemon answers",
    async () => (await asked()).stdout.includes("refused: the host is draining (orchctl resume)"),
    45_000,
  );
  const resumed = await until("it has found its engines again", async () => {
    const ran = await run(["resume"], { env: { ORCH_ADMIN_KEY } });
    return ran.code === 0 && ran.stdout;
  });
  t.match(resumed, "The host takes new engines.");
  await ready;
  await orchctl("engines", "provision", "bob");
  t.match(await orchctl("status"), /engines +2: 2 running\n/);
  const list = await orchctl("engines", "list", "--all");
  t.match(list, /^demo +alice +running/m);
  t.match(list, /^demo +bob +running/m);
  const types = eventsIn(await orchctl("events", "--all", "--json")).map(({ type }) => type);
  t.ok(types.includes("host.draining") && types.includes("host.resumed"), String(types));
});

t.test("the audit log verifies as the daemon writes it, and reveals changes by hand", async (t) => {
  const { database, orchctl, run } = await withDaemon(t);
  const verify = (...args: string[]) => run(["audit", "verify", ...args], { env: { ORCH_ADMIN_KEY } });
  await orchctl("products", "policy", "demo", "--max-engines", "3");
  await orchctl("products", "rotate-key", "demo");
  await orchctl("drain");
  const before = JSON.parse((await verify("--json")).stdout) as { head: string; lines: number };
  await orchctl("resume");
  const whole = await verify("--expect", before.head);
  t.equal(whole.code, 0, whole.stderr);
  const shown = await orchctl("audit", "list");
  for (const action of ["product.registered", "product.policy_changed", "product.key_rotated", "host.resumed"]) {
    t.match(shown, action);
  }
  t.notMatch(shown, /orchp_[0-9A-Za-z]{20}/, "no key is in it");

  const client = new pg.Client(database);
  await client.connect();
  t.teardown(() => client.end());
  await t.rejects(client.query("delete from audit_log where seq = 1"), /append-only/);
  await client.query("alter table audit_log disable trigger user");
  await client.query("update audit_log set entry = replace(entry, 'host.draining', 'host.resumed') where seq = $1", [
    before.lines,
  ]);
  const changed = await verify();
  t.equal(changed.code, 1);
  t.match(changed.stderr, `the audit log is broken: line ${before.lines} was changed`);
  await client.query("delete from audit_log where seq >= $1", [before.lines]);
  t.equal((await verify()).code, 0, "what is left holds in itself");
  t.match((await verify("--expect", before.head)).stderr, `truncated before line ${before.lines}`);
});

t.test("a daemon that stops while it is followed for good ends nothing by itself, and Ctrl-C does", async (t) => {
  const { daemon, orchctl, run, restart } = await withDaemon(t);
  let told = "";
  let child: { kill(signal: "SIGINT"): boolean } | undefined;
  const following = run(["events", "-f"], {
    onOutput: (printed, process) => {
      told = printed;
      child = process;
    },
  });
  await until("the follower has begun", () => told.includes("product.registered"), 30_000);
  // An event that only the open stream can bring.
  await orchctl("products", "policy", "demo", "--max-engines", "7");
  await until("the stream is open", () => told.includes("product.policy_changed"), 30_000);
  await daemon.stop();
  await until("the loss is told", () => told.includes("reconnecting"), 30_000);
  child?.kill("SIGINT");
  t.equal((await following).code, 130);
  const unreachable = await run(["events"]);
  t.equal(unreachable.code, 7);
  t.match(unreachable.stderr, /does not answer \(ECONNREFUSED\)/);
  await restart();
});
