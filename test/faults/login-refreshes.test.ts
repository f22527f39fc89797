import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import t, { type Test } from "tap";
import { DaemonRoad } from "../../src/broker/ask-daemon.ts";
import { sealingKeyOf } from "../../src/contract/broker/call-key.ts";
import { questionTokenOf } from "../../src/contract/broker/tokens.ts";
import { startAuthorizationServer } from "../helpers/authorization-server.ts";
import { openLoginFleet, signInBy } from "../helpers/tool-logins.ts";
import { LONG } from "./parts/long.ts";

const REFRESHES = LONG ? 10_000 : 200;
const KILLS = LONG ? 100 : 4;
const USERS = 4;

/** Tokens that are always about to end: each question for one is a refresh. */
async function refreshUnderKills(t: Test, { leewayMs }: { readonly leewayMs: number }) {
  const authorization = await startAuthorizationServer(t, { accessTokenS: 30, leewayMs });
  const fleet = await openLoginFleet(t, { authorization });
  const secret = readFileSync(join(fleet.daemon.dataDir, "secret-key"), "utf8").trim();
  const road = new DaemonRoad({ token: questionTokenOf(sealingKeyOf(secret)), url: fleet.publicUrl });
  t.teardown(() => road.close());
  const target = { server: "guarded", url: fleet.tools.url, scopes: null, client_id: null, client_secret: null };
  const users = await Promise.all(
    Array.from({ length: USERS }, async (_, at) => {
      const user = `user-${at}`;
      const { id } = await fleet.provision(user);
      const { body } = await fleet.platform("POST", `/engines/${user}/connections/guarded`);
      await signInBy(body.url, user);
      const { body: record } = await fleet.platform("GET", `/engines/${user}`);
      return { user, start: { engine: id, incarnation: record.incarnation as string } };
    }),
  );
  const seen = new Set<string>();
  const again: string[] = [];
  const isOver = () => seen.size >= REFRESHES || again.length === USERS;
  const work = async ({ user, start }: (typeof users)[number]): Promise<void> => {
    while (!isOver()) {
      const asked = { ...start, target, rejected: null };
      const answer = await road.ask("connection", asked, { deadlineMs: 60_000 });
      if (answer.state === "login") {
        again.push(user);
        return;
      }
      if (answer.state === "token" && answer.token !== null) seen.add(answer.token);
      else await sleep(50);
    }
  };
  let kills = 0;
  const kill = async (): Promise<void> => {
    while (!isOver()) {
      const next = (REFRESHES / (KILLS + 1)) * (kills + 1);
      while (seen.size < next && !isOver()) await sleep(5);
      if (isOver() || kills === KILLS) return;
      kills++;
      await fleet.daemon.stop("SIGKILL");
      await fleet.restart();
    }
  };
  await Promise.all([...users.map(work), kill()]);
  return { refreshes: seen.size, kills, again };
}

t.test(`${REFRESHES} refreshes with ${KILLS} kills of the daemon: nobody has to sign in again`, async (t) => {
  // As authorization servers have it that rotate refresh tokens: a token that was used counts again for a while.
  const { refreshes, kills, again } = await refreshUnderKills(t, { leewayMs: 60_000 });
  t.same(again, []);
  t.equal(kills, KILLS);
  t.ok(refreshes >= REFRESHES);
  t.comment(`${refreshes} refreshes, ${kills} kills, ${again.length} users who sign in again`);
});

t.test("where a used refresh token never counts again, a kill costs a login at most once for each user", async (t) => {
  const { refreshes, kills, again } = await refreshUnderKills(t, { leewayMs: 0 });
  t.equal(new Set(again).size, again.length);
  t.comment(`${refreshes} refreshes, ${kills} kills, ${again.length} of ${USERS} users sign in again`);
});
