import t from "tap";
import { SESSION_LIMITS } from "../../../src/contract/console/session-limits.ts";
import { endSession } from "../../../src/orchestrator/operations/end-session.ts";
import { createLink, openSession } from "../../../src/orchestrator/operations/open-session.ts";
import { Sessions } from "../../../src/orchestrator/status/sessions.ts";
import type { HostContext } from "../../../src/orchestrator/host-context.ts";
import type { Db } from "../../../src/orchestrator/store/database.ts";
import { RECORD_TABLES } from "../../../src/orchestrator/store/record-dump.ts";
import { onEachServer } from "../../helpers/database.ts";

const KEY = "the-admin-key";
const HOUR_MS = 3_600_000;

/** A daemon's part in sessions, with a clock that the test sets. */
function openHost(db: Db) {
  const clock = { now: Date.now() };
  const now = () => clock.now;
  const sessions = new Sessions(db, now);
  const settings = { publicUrl: "https://agents.example.com/orchd" } as HostContext["settings"];
  return { clock, host: { db, now, settings, sessions } };
}

onEachServer(t, "a session ends an hour after its last use, and 12 hours after its start", async (t, { db }) => {
  const { clock, host } = openHost(db);
  const { token } = await openSession(host, KEY, { admin_key: KEY });
  clock.now += HOUR_MS - 1;
  t.ok(await host.sessions.use(token), "used in its last moment");
  clock.now += HOUR_MS - 1;
  t.ok(await host.sessions.find(token), "open");
  t.ok(await new Sessions(db, host.now).find(token), "for every daemon: the use is stored");
  clock.now += 1;
  t.equal(await host.sessions.use(token), null, "what only looks does not count as a use");
  const { token: busy } = await openSession(host, KEY, { admin_key: KEY });
  for (let minutes = 0; minutes < 12 * 60 - 30; minutes += 30) {
    clock.now += HOUR_MS / 2;
    t.ok(await host.sessions.use(busy));
  }
  clock.now += HOUR_MS / 2;
  t.equal(await host.sessions.use(busy), null);
  t.same(await host.sessions.list({ after: null, limit: 10 }), []);
});

onEachServer(t, "a session that another daemon ends is refused within 5 s", async (t, { db }) => {
  const [one, other] = [openHost(db), openHost(db)];
  other.clock.now = one.clock.now;
  const { token, session } = await openSession(one.host, KEY, { admin_key: KEY });
  t.match(await other.host.sessions.use(token), { id: session.id, role: "admin" });
  await endSession(one.host, session.id);
  t.equal(await one.host.sessions.use(token), null, "at once where it was ended");
  other.clock.now += 5000;
  t.equal(await other.host.sessions.use(token), null);
});

onEachServer(t, "a link opens one session while it is fresh", async (t, { db }) => {
  const { clock, host } = openHost(db);
  const { link, url } = await createLink(host, "viewer");
  t.equal(url, `https://agents.example.com/orchd/console/#link=${link}`);
  const used = await Promise.allSettled([1, 2, 3].map(() => openSession(host, KEY, { link })));
  t.equal(used.filter(({ status }) => status === "fulfilled").length, 1, "one of several concurrent uses succeeds");
  const { link: late } = await createLink(host, "admin");
  clock.now += SESSION_LIMITS.linkS * 1000;
  await t.rejects(openSession(host, KEY, { link: late }), { code: "INVALID_LINK" });
  await t.rejects(openSession(host, KEY, { link: `${link}x` }), { code: "INVALID_LINK" });
  await t.rejects(openSession(host, KEY, { admin_key: KEY, link }), { name: "InvalidInput" });
});

onEachServer(t, "neither tokens nor links are stored, and a backup has no session", async (t, { db }) => {
  const { host } = openHost(db);
  const { token } = await openSession(host, KEY, { admin_key: KEY });
  const { link } = await createLink(host, "admin");
  const tables = ["console_sessions", "console_links", "audit_log"] as const;
  const rows = await Promise.all(tables.map((table) => db.selectFrom(table).selectAll().execute()));
  t.ok(rows.every((found) => found.length > 0));
  const text = JSON.stringify(rows);
  t.notOk(text.includes(token) || text.includes(link) || text.includes(KEY));
  t.same(
    Object.keys(RECORD_TABLES).filter((table) => table.startsWith("console_")),
    [],
  );
});
