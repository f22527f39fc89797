import { Agent, type IncomingMessage, request as httpRequest } from "node:http";
import { text } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import t from "tap";
import { type Sleeper, openFleet } from "../helpers/sleepers.ts";

/** Turns of each client, and clients of each engine. */
const TURNS = Number(process.env["ORCHD_SLEEP_TURNS"] ?? 12);
const CLIENTS = 2;
t.setTimeout(TURNS * 10_000 + 120_000);
const fleet = await openFleet(t);
const engines = await Promise.all(["anna", "bob", "carl"].map((user) => fleet.provision(user)));

interface Sent {
  readonly status: number | null;
  readonly body: string;
  /** The connection had served a call before. */
  readonly reused: boolean;
}

/** A call whose status is null when the connection ended without an answer. */
function send(engine: Sleeper, path: string, { agent, body }: { agent: Agent | false; body?: object }): Promise<Sent> {
  const headers = { "x-engine-key": engine.key, "content-type": "application/json" };
  return new Promise((resolve) => {
    const call = httpRequest(new URL(path, engine.url), {
      method: body === undefined ? "GET" : "POST",
      headers,
      agent,
    });
    const lost = () => resolve({ status: null, body: "", reused: call.reusedSocket });
    call.once("response", (response: IncomingMessage) => {
      const status = response.statusCode ?? 0;
      text(response).then((read) => resolve({ status, body: read, reused: call.reusedSocket }), lost);
    });
    call.once("error", lost);
    call.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/** Puts engines to sleep all the time. Resolves with how often one slept. */
async function sleepers(signal: AbortSignal): Promise<number> {
  const slept = await Promise.all(
    engines.map(async (engine) => {
      let count = 0;
      while (!signal.aborted) if ((await engine.post("sleep")).status === 200) count++;
      return count;
    }),
  );
  return slept.reduce((sum, count) => sum + count, 0);
}

async function turns(engine: Sleeper, client: number, agent: Agent | false): Promise<{ lost: Sent[]; again: number }> {
  const lost: Sent[] = [];
  let again = 0;
  for (let turn = 0; turn < TURNS; turn++) {
    const taskId = `${agent === false ? "new" : "kept"}-${client}-${turn}`;
    const body = { task_id: taskId, message: "/say done" };
    let sent = await send(engine, "/execute", { agent, body });
    // A connection that was idle may close just when it is used. The call was not read, so it is sent again.
    while (sent.status === null && sent.reused) {
      const { body: replay } = await send(engine, `/execute/replay?task_id=${taskId}`, { agent: false });
      if (JSON.parse(replay).events.length > 0) break;
      again++;
      sent = await send(engine, "/execute", { agent, body });
    }
    // Its engine may fall asleep, with the connection of this client idle.
    await pause(Math.random() * 100);
    if (sent.status !== 200 || !sent.body.includes('"completed"')) lost.push(sent);
  }
  return { lost, again };
}

t.test("engines that fall asleep all the time lose no call", async (t) => {
  const over = new AbortController();
  const sleeping = sleepers(over.signal);
  const kept = new Agent({ keepAlive: true });
  t.teardown(() => kept.destroy());
  const done = await Promise.all(
    engines.flatMap((engine) =>
      Array.from({ length: CLIENTS }, (_, client) => [
        turns(engine, client, false),
        turns(engine, client, kept),
      ]).flat(),
    ),
  );
  over.abort();
  const slept = await sleeping;
  t.ok(slept > 0, `${slept} sleeps`);
  t.comment(`${slept} sleeps, ${done.reduce((sum, { again }) => sum + again, 0)} calls sent again`);
  t.same(
    done.flatMap(({ lost }) => lost),
    [],
  );
  for (const engine of engines) {
    const { body } = await send(engine, "/execute/replay?limit=10000", { agent: false });
    const started = JSON.parse(body).events.filter(
      ({ data }: { data: { phase?: string } }) => data.phase === "started",
    );
    t.equal(started.length, TURNS * CLIENTS * 2, `each turn of ${engine.user} ran once`);
  }
});
