import { inParallel } from "../measure.ts";
import type { Site } from "../site.ts";
import { fallAsleep } from "../sleepers.ts";

/** Engines that run. The others sleep, but for those that are stopped. */
export const RUNNING = 100;
/** The daemon has two descriptors for each sleeping engine: with 9,900 it would need more than 20,000, which many shells allow. */
export const STOPPED = 900;
const CALLS = 20;

/** Gives the host so many engines of the users `row-…`, and events of them. */
export async function fillHost(
  site: Site,
  { engines, events }: { readonly engines: number; readonly events: number },
): Promise<void> {
  const users = Array.from({ length: RUNNING }, (_, index) => `row-${index}`);
  await inParallel(users, CALLS, async (user) => {
    await site.provision(user);
  });
  const sleeper = await site.provision("row-asleep");
  await fallAsleep(site, "row-asleep");
  await site.stopDaemon("SIGTERM");
  await copySleeper(site, sleeper.id, engines - RUNNING - 1);
  await site.query(
    `update engines set state = 'stopped', desired_state = 'stopped', slept_at = null, sleep_reason = null
     where id in (select id from engines where state = 'sleeping' and id <> $1 order by id limit $2)`,
    [sleeper.id, STOPPED],
  );
  await site.query(
    `insert into events (id, host_id, type, product_id, user_id, engine_id, incarnation, from_state, to_state, actor, data)
     select 'evt_' || gen_random_uuid(), host_id, 'engine.running', product_id, user_id, id, incarnation, 'starting',
       'running', 'orchd', '{}'
     from engines, generate_series(1, $1::int) where user_id like 'row-%'`,
    [Math.ceil(events / engines)],
  );
  await site.query("analyze engines, events, ports");
}

/** Each copy has a port that is free, as if it had been provisioned. */
async function copySleeper(site: Site, id: string, copies: number): Promise<void> {
  await site.query(
    `insert into engines
     select (jsonb_populate_record(engines, jsonb_build_object('id', 'eng_' || gen_random_uuid(),
       'user_id', 'row-' || ${RUNNING} + n, 'incarnation', gen_random_uuid(), 'port', free.port, 'uid', null))).*
     from engines, (select port, row_number() over (order by port) as n from ports
       where engine_id is null and port > 20000 limit $2) as free
     where id = $1`,
    [id, copies],
  );
  await site.query(
    "update ports set engine_id = engines.id from engines where engines.port = ports.port and engines.host_id = ports.host_id",
  );
}
