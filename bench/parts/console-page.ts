import { setTimeout as sleep } from "node:timers/promises";
import type { Browser, BrowserContext } from "playwright-core";
import { launchChromium, signIn, withChromium } from "../../test/console/browser.ts";
import { call, cpuSeconds, end, inParallel, startServer } from "../measure.ts";
import { type Row, difference, loneRow } from "../report.ts";
import type { Site } from "../site.ts";

const ROUNDS = 15;
/** Until then the compilers of the daemon and the caches of the browser's own program are at work. */
const WARM_UP = 3;
const ENGINES = 100;
const WINDOW_S = 30;
const EVENTS_PER_S = 50;
const BATCHES_PER_S = 10;

/** Run in the page, where this program has no types. */
const FIRST_CONTENT = `new Promise((resolve) => new PerformanceObserver((list) => {
  const paint = list.getEntriesByName("first-contentful-paint")[0];
  if (paint !== undefined) resolve(paint.startTime);
}).observe({ type: "paint", buffered: true }))`;

/** When something of a page is seen after its navigation began, and what a page that is open costs the daemon. */
export async function consolePage(site: Site): Promise<readonly Row[]> {
  if (withChromium.skip !== false) {
    process.stderr.write(`${withChromium.skip}: apt-get install chromium\n`);
    return [];
  }
  const users = Array.from({ length: ENGINES }, (_, index) => `shown-${index}`);
  await inParallel(users, 10, (user) => register(site, user));
  const bare = await startServer("bare-page.mjs", { path: "/" });
  const browser = await launchChromium();
  try {
    const first = await paints(browser, { ours: `${site.url}/console/`, theirs: bare.url });
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(`${site.url}/console/`);
    await signIn(page, site.adminKey);
    await page.close();
    const again = await paints(browser, { ours: `${site.url}/console/`, theirs: bare.url }, context);
    const idle = await daemonShare(site);
    const open = await context.newPage();
    await open.goto(`${site.url}/console/`);
    await open.locator(".fleet-table tbody tr").first().waitFor();
    const followed = await daemonShare(site);
    const aim = "≤ 100 ms";
    return [
      difference("first paint of the console, nobody signed in, nothing cached", { ...first, unit: "ms", aim }),
      difference("… signed in, on a later visit", { ...again, unit: "ms", aim }),
      loneRow(`the daemon's CPU for a page that follows ${EVENTS_PER_S} events a second`, {
        value: followed - idle,
        unit: "%",
        aim: "≤ 5 %",
      }),
    ];
  } finally {
    await browser.close();
    await end(bare.child);
    await inParallel(users, 10, (user) => site.destroy(user));
  }
}

/** An engine without a process. */
async function register(site: Site, user: string): Promise<void> {
  const body = { user_id: user, start: false };
  const answer = await call(`${site.url}/engines/provision`, { method: "POST", headers: site.platform, body });
  if (answer.status !== 201) throw new Error(`provision answered ${answer.status}: ${answer.body}`);
}

/** Milliseconds from the navigation to the first content, of both in turn. Without `shared`, each visit is a first one. */
async function paints(
  browser: Browser,
  urls: { readonly ours: string; readonly theirs: string },
  shared?: BrowserContext,
) {
  const took = { ours: [] as number[], theirs: [] as number[] };
  for (let round = 0; round < ROUNDS + WARM_UP; round++) {
    for (const side of ["theirs", "ours"] as const) {
      const ms = await paintMs(shared ?? (await browser.newContext()), urls[side], shared === undefined);
      if (round >= WARM_UP) took[side].push(ms);
    }
  }
  return took;
}

async function paintMs(context: BrowserContext, url: string, isOwn: boolean): Promise<number> {
  const page = await context.newPage();
  await page.goto(url);
  const ms = await page.evaluate<number>(FIRST_CONTENT);
  await (isOwn ? context : page).close();
  return ms;
}

/** The daemon's processor time in per cent of a core, while events are written. */
async function daemonShare(site: Site): Promise<number> {
  const before = cpuSeconds(site.daemonPid);
  const began = performance.now();
  for (let batch = 0; batch < WINDOW_S * BATCHES_PER_S; batch++) {
    await writeEvents(site, EVENTS_PER_S / BATCHES_PER_S);
    await sleep(Math.max(0, began + ((batch + 1) * 1000) / BATCHES_PER_S - performance.now()));
  }
  return ((cpuSeconds(site.daemonPid) - before) / ((performance.now() - began) / 1000)) * 100;
}

/** As the daemon writes them, but by the database alone: only reading them is measured. */
const writeEvents = (site: Site, count: number) =>
  site.query(
    `insert into events (id, host_id, type, product_id, user_id, engine_id, incarnation, from_state, to_state, actor, data)
     select 'evt_' || gen_random_uuid(), host_id, 'engine.stopped', product_id, user_id, id, incarnation, 'stopping', 'stopped', 'orchd', '{}'
     from engines where user_id like 'shown-%' order by random() limit $1`,
    [count],
  );
