import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import t from "tap";
import { openBrowser, withChromium } from "./browser.ts";
import { startFakeHost } from "./fake-host.ts";

const built = resolve(import.meta.dirname, "../../dist/console");
const html = readFileSync(join(built, "index.html"), "utf8");
const [script = ""] = /index-[\w-]+\.js/.exec(html) ?? [];
const SESSION = `localStorage.setItem("orchd-session", JSON.stringify({ id: "ses_1", role: "admin", person: null }))`;

t.test("a view that the daemon no longer has", withChromium, async (t) => {
  const host = await startFakeHost(t, 3);
  const browser = await openBrowser(t, host.url);
  const page = await browser.open("");
  await page.evaluate(SESSION);
  const heading = (name: string) => page.getByRole("heading", { level: 1, name }).waitFor();
  const opened = () => page.evaluate<number>("performance.timeOrigin");
  const goTo = (path: string) => page.evaluate(`location.hash = ${JSON.stringify(path)}`);

  await t.test("loads the page again when the daemon was updated, and is shown", async (t) => {
    let pages = 0;
    const old = { contentType: "text/html", body: html.replaceAll(script, "index-before.js") };
    await page.route("**/console/", (route) => {
      const isShown = route.request().isNavigationRequest();
      if (isShown) pages++;
      return isShown && pages === 1 ? route.fulfill(old) : route.continue();
    });
    await page.route(/assets\/.*\.js$/, (route) => (pages === 1 ? route.fulfill({ status: 404 }) : route.continue()));
    await page.route("**/index-before.js", (route) =>
      route.fulfill({ contentType: "text/javascript", path: join(built, "assets", script) }),
    );
    await page.goto(`${host.url}/console/`);
    await heading("Fleet");
    const before = await opened();
    await goTo("/audit");
    await heading("Audit log");
    t.not(await opened(), before);
    t.equal(pages, 2, "once");
    await page.unrouteAll({ behavior: "wait" });
  });

  await t.test("says so when the daemon has the same page, and is tried again", async (t) => {
    await page.route(/assets\/sessions-/, (route) => route.fulfill({ status: 404 }));
    await page.goto(`${host.url}/console/?same`);
    await heading("Fleet");
    const before = await opened();
    await goTo("/sessions");
    await page.getByRole("alert").getByText("This view could not be loaded").waitFor();
    t.equal(await opened(), before, "the page is not loaded again");
    await page.route("**/console/", (route) => route.abort());
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("alert").getByText("This view could not be loaded").waitFor();
    t.equal(await opened(), before, "a daemon that is away leaves the page as it is");
    await page.unrouteAll({ behavior: "wait" });
    await page.getByRole("button", { name: "Try again" }).click();
    await heading("Sessions");
  });
  t.same(browser.offences, []);
});
