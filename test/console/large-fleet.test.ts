import { setTimeout as sleep } from "node:timers/promises";
import t from "tap";
import { until } from "../helpers/until.ts";
import { openBrowser, signIn, withChromium } from "./browser.ts";
import { startFakeHost } from "./fake-host.ts";

const ENGINES = 1000;
const UPDATES = 200;
const PER_SECOND = 50;
/** Milliseconds between two frames; checked on a machine that does nothing else. */
const MAX_FRAME_MS = 100;
const isLong = process.env["ORCHD_CONSOLE"] === "long";

/** Notes the longest time between two frames in the page. */
const MEASURE_FRAMES = `{
  let last = performance.now();
  globalThis.longestFrame = 0;
  const note = (now) => {
    globalThis.longestFrame = Math.max(globalThis.longestFrame, now - last);
    last = now;
    requestAnimationFrame(note);
  };
  requestAnimationFrame(note);
}`;

t.test(`${ENGINES} engines with ${PER_SECOND} changes a second`, withChromium, async (t) => {
  const host = await startFakeHost(t, ENGINES);
  const browser = await openBrowser(t, host.url);
  const page = await browser.open("");
  await signIn(page, "any");
  const count = (name: string) => page.getByRole("button", { name: new RegExp(`^${name}`) }).textContent();
  await until("all are counted", async () => (await count("running"))?.includes("1,000"));
  const rows = page.locator(".fleet-table tbody tr:not(.spacer)");
  t.ok((await rows.count()) < 100, "only rows near the visible ones are drawn");
  await page.getByLabel("Search users").fill("user-999");
  await until("one row fits", async () => (await rows.count()) === 1);
  await page.getByLabel("Search users").fill("");
  await page.evaluate(MEASURE_FRAMES);
  for (let update = 0; update < UPDATES; update++) {
    host.change(update, "backoff");
    await sleep(1000 / PER_SECOND);
  }
  await until("every change is shown", async () => (await count("failed"))?.includes(String(UPDATES)));
  const longest = await page.evaluate<number>("globalThis.longestFrame");
  t.comment(`the longest frame took ${Math.round(longest)} ms`);
  if (isLong) t.ok(longest <= MAX_FRAME_MS, `the longest frame took ${longest} ms`);
  t.same(browser.offences, []);
});
