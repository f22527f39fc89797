import { setTimeout as pause } from "node:timers/promises";
import { call } from "./measure.ts";
import type { Site } from "./site.ts";

const DEADLINE_MS = 60_000;

/** A kept connection would end with the engine's sleep, perhaps just as the next call is written to it. */
export const lastCallHeaders = (key: string): Record<string, string> => ({ "x-engine-key": key, connection: "close" });

/** Puts an engine to sleep and waits until its process is gone. One that is just busy is asked again. */
export async function fallAsleep(site: Site, userId: string): Promise<void> {
  const deadline = Date.now() + DEADLINE_MS;
  while (Date.now() < deadline) {
    const answer = await call(`${site.url}/engines/${userId}/sleep`, {
      method: "POST",
      headers: site.platform,
      body: {},
    });
    if (answer.status === 200) return asleep(site, userId, deadline);
    if (answer.status !== 409) throw new Error(`sleep answered ${answer.status}: ${answer.body}`);
    await pause(20);
  }
  throw new Error(`${userId} does not fall asleep`);
}

async function asleep(site: Site, userId: string, deadline: number): Promise<void> {
  while (Date.now() < deadline) {
    const [engine] = await site.query<{ state: string; pid: number | null }>(
      "select state, (handle ->> 'pid')::int as pid from engines where user_id = $1",
      [userId],
    );
    if (engine?.state === "sleeping" && engine.pid === null) return;
    await pause(3);
  }
  throw new Error(`the process of ${userId} does not end`);
}
