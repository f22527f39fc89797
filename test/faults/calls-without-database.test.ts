import { join } from "node:path";
import t from "tap";
import { type Answer, ask } from "../helpers/api.ts";
import { until } from "../helpers/until.ts";
import { settle } from "./parts/invariants.ts";
import { LONG } from "./parts/long.ts";
import { openSite, type SiteOptions } from "./parts/site.ts";
import { Tally } from "./parts/tally.ts";
import { startTcpGate } from "./parts/tcp-gate.ts";

const ORDINARY_UID = 65_534;
const USERS = LONG ? 12 : 2;
/** Refused calls of each engine while the database is away. */
const REFUSED = LONG ? 200 : 20;

t.setTimeout(LONG ? 1_200_000 : 240_000);
const tally = new Tally();
t.teardown(() => tally.print(t));
const isRoot = process.getuid?.() === 0;
const asOrdinaryUser: SiteOptions = {
  uid: ORDINARY_UID,
  // The folder of the server's socket belongs to another user.
  async reach({ host, port, user, password, database }) {
    const gate = await startTcpGate(t, join(host, `.s.PGSQL.${port}`));
    return `postgres://${user}:${password}@127.0.0.1:${gate.port}/${database}`;
  },
};

for (const { who, options } of [
  { who: isRoot ? "root" : "the test's user", options: {} },
  ...(isRoot ? [{ who: "an ordinary user", options: asOrdinaryUser }] : []),
]) {
  t.test(`as ${who}: calls of sleeping engines do not end a daemon without its database`, async (t) => {
    const site = await openSite(t, { ownServer: true, ...options });
    const { daemon, product } = site;
    const sleepers = await Promise.all(
      Array.from({ length: USERS }, async (_, index) => {
        tally.tried++;
        const user = `sleeper-${index}`;
        const { body } = await product.post("/engines/provision", { user_id: user });
        await until(`${user} sleeps`, async () => (await product.post(`/engines/${user}/sleep`)).status === 200);
        const headers = { "x-engine-key": body.engine_api_key };
        return {
          user,
          addresses: [body.url, `${daemon.url}/e/${body.id}`].map(
            (url) => (): Promise<Answer> => ask(url, "/hitl/pending", { headers }),
          ),
        };
      }),
    );
    const addresses = sleepers.flatMap((one) => one.addresses);
    const comeBack = await site.databaseAway();

    const answers = await Promise.all(
      addresses.map(async (call) => {
        const given: Answer[] = [];
        while (given.length < REFUSED) given.push(await call());
        return given;
      }),
    );
    await until("the daemon has tried to let calls wait again", async () => {
      await Promise.all(addresses.map((call) => call()));
      return /"what":"calls of a sleeping engine"/.test(daemon.output());
    });
    for (const given of answers) {
      const odd = given.filter(({ status, headers }) => status !== 503 || !(Number(headers["retry-after"]) > 0));
      t.same(odd, [], `${given.length} calls were refused with 503 and Retry-After`);
    }
    t.equal((await daemon.admin("/health")).status, 200, "the daemon is alive");
    t.equal(daemon.process.exitCode, null);

    await comeBack();
    for (const { user, addresses: both } of sleepers) {
      for (const call of both) await until(`a call wakes ${user}`, async () => (await call()).status === 200, 60_000);
      // Its first answer may come before its row changes.
      await until(`${user} runs`, async () => (await product.get(`/engines/${user}`)).body.state === "running");
    }
    t.same(await settle(site, tally), {});
    t.notMatch(daemon.output(), /background work failed/);
  });
}
