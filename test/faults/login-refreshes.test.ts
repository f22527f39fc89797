import { setTimeout as sleep } from "node:timers/promises";
import t, { type Test } from "tap";
import { startAuthorizationServer } from "../helpers/authorization-server.ts";
import { openTokenRoad } from "../helpers/token-road.ts";
import { openLoginFleet, signInBy } from "../helpers/tool-logins.ts";
import { LONG } from "./parts/long.ts";
import { report } from "./parts/report.ts";

const REFRESHES = LONG ? 10_000 : 300;
const KILLS = LONG ? 200 : 6;
const USERS = 4;

/** Tokens that are always about to end: each question for one is a refresh. */
async function refreshUnderKills(t: Test, { leewayMs }: { readonly leewayMs: number }) {
  const authorization = await startAuthorizationServer(t, { accessTokenS: 30, leewayMs });
  const fleet = await openLoginFleet(t, { authorization });
  const { dataDir } = fleet.daemon;
  const tokenOf = openTokenRoad(t, { dataDir, url: fleet.publicUrl, tools: fleet.tools.url });
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
      const answer = await tokenOf(start);
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
      // Anywhere in the renewals of the four users.
      await sleep(Math.random() * 30);
      await fleet.daemon.stop("SIGKILL");
      await fleet.restart();
    }
  };
  await Promise.all([...users.map(work), kill()]);
  return { refreshes: seen.size, kills, again };
}

for (const [strictness, leewayMs] of [
  ["counts again for a while", 60_000],
  ["never counts again", 0],
] as const) {
  const title = `${REFRESHES} refreshes with ${KILLS} kills of the daemon, where a used refresh token ${strictness}`;
  t.test(`${title}: nobody has to sign in again`, async (t) => {
    const { refreshes, kills, again } = await refreshUnderKills(t, { leewayMs });
    t.same(again, []);
    t.equal(kills, KILLS);
    t.ok(refreshes >= REFRESHES);
    report(t, {
      [`refreshes, where a used token ${strictness}`]: refreshes,
      "… daemons killed": kills,
      "… users who had to sign in again": again.length,
    });
  });
}
