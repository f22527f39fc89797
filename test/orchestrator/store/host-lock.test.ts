import { sql } from "kysely";
import t from "tap";
import { createLogger } from "../../../src/shared/logger.ts";
import { holdHost } from "../../../src/orchestrator/store/host-lock.ts";
import { onEachServer } from "../../helpers/database.ts";
import { until } from "../../helpers/until.ts";

const logger = createLogger("test", "silent");

onEachServer(t, "one daemon has a host; a second one waits until the first is gone", async (t, { newClient }) => {
  const daemon = (hostId: string) => {
    const stop = new AbortController();
    t.teardown(() => stop.abort());
    const seen = { held: false, waited: 0, lost: null as Error | null };
    const holding = holdHost(
      { newClient, hostId, logger, signal: stop.signal },
      { onWait: () => seen.waited++, onLoss: (error) => (seen.lost = error) },
    ).then(() => (seen.held = true));
    return { seen, stop, holding };
  };
  const first = daemon("host_1");
  await first.holding;
  const second = daemon("host_1");
  const elsewhere = daemon("host_2");
  await elsewhere.holding;
  await until("the second one waits", () => second.seen.waited > 0);
  t.equal(second.seen.held, false);
  first.stop.abort();
  await second.holding;
  t.pass("the second one took over");
});

onEachServer(
  t,
  "a lock whose connection was cut is acquired again, or its loss is reported",
  async (t, { db, newClient }) => {
    const stop = new AbortController();
    t.teardown(() => stop.abort());
    const lost = Promise.withResolvers<Error>();
    await holdHost(
      { newClient, hostId: "host_1", logger, signal: stop.signal },
      { onWait: () => t.fail("nobody else has it"), onLoss: lost.resolve },
    );
    const holder = async () =>
      (
        await sql<{ pid: number }>`select pid from pg_locks join pg_stat_activity using (pid)
        where locktype = 'advisory' and application_name like 'orchd %' and datname = current_database()`.execute(db)
      ).rows[0]?.pid;
    const before = await holder();
    await sql`select pg_terminate_backend(${before})`.execute(db);
    await until("it has the lock again", async () => {
      const now = await holder();
      return now !== undefined && now !== before;
    });
    // Another daemon acquires the lock first.
    const thief = newClient();
    await thief.connect();
    t.teardown(() => thief.end());
    const taking = thief.query("select pg_advisory_lock(hashtext('orchd host'), hashtext('host_1'))");
    await until("the thief waits", async () => {
      const { rows } = await sql`select 1 from pg_locks where locktype = 'advisory' and not granted`.execute(db);
      return rows.length > 0;
    });
    await sql`select pg_terminate_backend(${await holder()})`.execute(db);
    await taking;
    t.match((await lost.promise).message, /another orchd took this host over/);
  },
);
