import { readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import t from "tap";
import type { Answer } from "../helpers/api.ts";
import { engineProcesses } from "./parts/engine-processes.ts";
import { settle } from "./parts/invariants.ts";
import { LONG } from "./parts/long.ts";
import { Random } from "./parts/random.ts";
import { openSite } from "./parts/site.ts";
import { Tally } from "./parts/tally.ts";

t.setTimeout(LONG ? 3_600_000 : 120_000);
const tally = new Tally();
t.teardown(() => tally.print(t));
const random = new Random();
t.comment(`ORCHD_SEED=${random.seed}`);
const site = await openSite(t, { engine: "well-behaved" });

/** A call that its client aborts after a while. Null when aborted. */
async function abortedAfter(ms: number, call: (signal: AbortSignal) => Promise<{ status: number }>) {
  const gone = new AbortController();
  const answer = call(gone.signal).then(
    ({ status }) => status,
    () => null,
  );
  await sleep(ms);
  gone.abort();
  return answer;
}

/** An aborted call may still be served and provision an engine for a finished user. */
const processesOf = (engines: readonly { readonly id: string }[]) =>
  engineProcesses(site.dataDir).filter(({ engineId }) => engines.some(({ id }) => id === engineId));

t.test("1,000 concurrent provisions of one user, half of them aborted, create one engine", async (t) => {
  const rounds = LONG ? 10 : 1;
  for (let round = 0; round < rounds; round++) {
    const { product } = site;
    const user_id = `crowd-${round}`;
    const statuses = await Promise.all(
      Array.from({ length: 1000 }, (_, index) => {
        tally.tried++;
        const call = (signal?: AbortSignal) => product.post("/engines/admit", { user_id }, signal);
        return index % 2 === 0 ? call().then(({ status }) => status) : abortedAfter(random.below(400), call);
      }),
    );
    const answered = statuses.filter((_, index) => index % 2 === 0);
    t.same(
      answered.filter((status) => status !== 200 && status !== 201),
      [],
      "who waited has the engine",
    );
    t.ok(statuses.filter((status) => status === 201).length <= 1, "one call at most created it");
    t.same(await settle(site, tally), {});
    const { rows } = await site.db.query("select id from engines where user_id = $1", [user_id]);
    t.equal(rows.length, 1);
    t.equal(processesOf(rows).length, 1);
    t.equal((await product.del(`/engines/${user_id}`)).status, 200);
  }
});

t.test("200 concurrent provisions with a quota of 10 create exactly 10 engines", async (t) => {
  const product = await site.newProduct({ max_engines: 10 });
  const answers = await Promise.all(
    Array.from({ length: 200 }, (_, index) => {
      tally.tried++;
      return product.post("/engines/provision", { user_id: `user-${index}` });
    }),
  );
  const outcomes = Object.groupBy(answers, ({ status, body }) => `${status} ${body.error?.code ?? ""}`);
  const counts = Object.fromEntries(Object.entries(outcomes).map(([outcome, of = []]) => [outcome, of.length]));
  t.same(counts, { "201 ": 10, "429 QUOTA_EXCEEDED": 190 });
  const { rows } = await site.db.query("select id from engines where product_id = $1", [product.id]);
  t.equal(processesOf(rows).length, 10);
  t.same(await settle(site, tally), {});
  const made = (await product.get("/engines?limit=200")).body.data as { user_id: string }[];
  await Promise.all(made.map(({ user_id }) => product.del(`/engines/${user_id}`)));
  t.same(await settle(site, tally), {});
});

t.test("an admit during a destroy creates the engine anew, or says that another call is at work", async (t) => {
  const { product } = site;
  const rounds = LONG ? 400 : 20;
  const told = ["409 OPERATION_IN_PROGRESS", "404 ENGINE_NOT_FOUND"];
  const outcomes = new Set<string>();
  const before = new Set(readdirSync(join(site.dataDir, "engines")));
  const outcomeOf = ({ status, body }: Answer) => `${status} ${body.error?.code ?? ""}`.trim();
  await Promise.all(
    Array.from({ length: 4 }, async (_, lane) => {
      const user_id = `contested-${lane}`;
      for (let round = 0; round < rounds; round++) {
        const admit = async (start: boolean) => {
          tally.tried++;
          await sleep(random.below(40));
          return outcomeOf(await product.post("/engines/admit", { user_id, start }));
        };
        const destroy = async () => {
          await sleep(random.below(40));
          return outcomeOf(await product.del(`/engines/${user_id}${random.below(2) === 0 ? "?keep_data=true" : ""}`));
        };
        const admits = Promise.all([admit(false), admit(true), admit(false), admit(round % 2 === 0)]);
        const destroys = Promise.all([destroy(), destroy()]);
        for (const outcome of await admits) {
          outcomes.add(outcome);
          if (!["200", "201", ...told].includes(outcome)) t.fail(`admit answered ${outcome}`);
        }
        for (const outcome of await destroys)
          if (!["200", "404 ENGINE_NOT_FOUND"].includes(outcome)) t.fail(`destroy answered ${outcome}`);
      }
      await product.del(`/engines/${user_id}`);
    }),
  );
  t.ok(outcomes.has("201"), [...outcomes].join(", "));
  t.same(await settle(site, tally), {});
  const { rows } = await site.db.query("select id from engines where user_id like 'contested-%'");
  t.same(rows, []);
  t.same(
    readdirSync(join(site.dataDir, "engines")).filter((name) => !before.has(name)),
    [],
    "no folder is left",
  );
});
