import { sql } from "kysely";
import t from "tap";
import { createLogger } from "../../../src/shared/logger.ts";
import { openDatabase } from "../../../src/orchestrator/store/database.ts";
import { EventLog } from "../../../src/orchestrator/store/events.ts";
import { holdHost } from "../../../src/orchestrator/store/host-lock.ts";
import { preparePorts } from "../../../src/orchestrator/store/ports.ts";
import { unavailableReason } from "../../../src/orchestrator/store/unavailable-reason.ts";
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
    ).then((lock) => {
      seen.held = lock !== null;
      t.teardown(() => lock?.release());
      return lock;
    });
    return { seen, stop, holding };
  };
  const first = daemon("host_1");
  const lock = await first.holding;
  const second = daemon("host_1");
  const elsewhere = daemon("host_2");
  await elsewhere.holding;
  await until("the second one waits", () => second.seen.waited > 0);
  t.equal(second.seen.held, false);
  t.equal(await lock?.isHeld(), true);
  await lock?.release();
  t.equal(await lock?.isHeld(), false);
  t.ok(await second.holding, "the second one took over");
  const third = daemon("host_1");
  await until("the third one waits", () => third.seen.waited > 0);
  third.stop.abort();
  t.equal(await third.holding, null, "a stopped waiter does not get the lock");
});

onEachServer(
  t,
  "a lock whose connection was cut is acquired again, or its loss is reported",
  async (t, { db, newClient }) => {
    const stop = new AbortController();
    t.teardown(() => stop.abort());
    const lost = Promise.withResolvers<Error>();
    const lock = await holdHost(
      { newClient, hostId: "host_1", logger, signal: stop.signal },
      { onWait: () => t.fail("nobody else has it"), onLoss: lost.resolve },
    );
    t.teardown(() => lock?.release());
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

onEachServer(t, "a new epoch ends what the leader before still writes", async (t, { db, newClient, connection }) => {
  const stop = new AbortController();
  const lead = async (url: string) => {
    const lost = Promise.withResolvers<Error>();
    const hooks = { onWait: () => undefined, onLoss: lost.resolve };
    const network = { cut: false };
    const connectTo = () => {
      if (network.cut) throw new Error("cut off");
      return newClient();
    };
    const parts = { newClient: connectTo, hostId: "host_1", logger, signal: stop.signal, hasReplicas: true };
    const lock = await holdHost(parts, hooks);
    if (lock === null) throw new Error("it stopped");
    t.teardown(() => lock.release());
    const leader = await lock.beginEpoch(new EventLog("host_1"), { url, place: null });
    const fenced = openDatabase(connection, logger, { hostId: "host_1", epoch: leader.epoch });
    t.teardown(fenced.close);
    return { network, lock, leader, lost: lost.promise, db: fenced.db };
  };
  const range = { hostId: "host_1", min: 20_000, max: 20_009, reuseDelayS: 0, isUsed: true };
  const first = await lead("http://10.0.0.1:7700");
  await preparePorts(first.db, range);
  const held = Promise.withResolvers<void>();
  const lateCommit = first.db.transaction().execute(async (trx) => {
    await preparePorts(trx, { ...range, max: 20_019 });
    await held.promise;
  });
  lateCommit.catch(() => undefined);
  first.network.cut = true;
  const second = lead("http://10.0.0.2:7700");
  await sql`select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and granted
    and classid = (hashtext('orchd host')::bigint & 4294967295)::oid`.execute(db);
  const { leader, db: next } = await second;
  held.resolve();
  t.ok(await lateCommit.then(() => null, Boolean), "an open transaction is ended");
  t.equal(Number(leader.epoch), Number(first.leader.epoch) + 1);
  t.equal(await first.lock.isHeld(), false, "it leaves processes alone");
  first.network.cut = false;
  t.match((await first.lost).message, /another orchd took this host over/);
  const refused = await preparePorts(first.db, range).catch((error: unknown) => error);
  t.equal(unavailableReason(refused), "another orchd leads this host now");
  await preparePorts(next, range);
  await preparePorts(db, range);
  const { rows } = await sql`select type, data from events`.execute(db);
  t.match(rows, [
    { type: "host.leader_changed", data: { leader: "http://10.0.0.2:7700", previous: "http://10.0.0.1:7700" } },
  ]);
});
