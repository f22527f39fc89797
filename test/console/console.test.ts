import { readFileSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Locator, Page } from "playwright-core";
import t from "tap";
import { catalogArchive } from "../helpers/catalog-archive.ts";
import { freePort } from "../helpers/daemon.ts";
import { openFleet } from "../helpers/sleepers.ts";
import { until } from "../helpers/until.ts";
import { type ConsoleBrowser, openBrowser, seriousFindings, show, signIn, withChromium } from "./browser.ts";

const PRODUCT = "sleepy";
const HOSTILE = ["<img src=x onerror=alert(1)>", "🙂".repeat(64), "مستخدم-١", "a\"b'c/../d"];
const built = resolve(import.meta.dirname, "../../dist/console");

t.test("the first page has one script, and at most 80 KB with its styles; a view adds at most 25 KB", async (t) => {
  const text = (name: string) => readFileSync(join(built, name), "utf8");
  const bytes = (names: Iterable<string>) =>
    [...names].reduce((sum, name) => sum + readFileSync(join(built, `${name}.gz`)).length, 0);
  const scripts = readdirSync(join(built, "assets"))
    .filter((name) => name.endsWith(".js"))
    .map((name) => `assets/${name}`);
  /** A script with those that it imports at once. */
  const withImports = (name: string): readonly string[] => [
    name,
    ...[...text(name).matchAll(/\b(?:from|import)[`"']\.\/([\w-]+\.js)[`"']/g)].flatMap(([, imported = ""]) =>
      withImports(`assets/${imported}`),
    ),
  ];
  const first = new Set([...text("index.html").matchAll(/assets\/[\w.-]+/g)].map(([name]) => name));
  t.equal([...first].filter((name) => name.endsWith(".js")).length, 1);
  const firstBytes = bytes(["index.html", ...first]);
  t.ok(firstBytes <= 80 * 1024, `${firstBytes} bytes compressed`);
  const views = scripts.filter((name) => !first.has(name));
  t.ok(views.length >= 15, `${views.length} views are apart`);
  const sizes = views.map(
    (name) => [name, bytes(new Set(withImports(name).filter((one) => !first.has(one))))] as const,
  );
  t.same(
    sizes.filter(([, size]) => size > 25 * 1024),
    [],
  );
});

t.test("the console in a browser", withChromium, async (t) => {
  const fleet = await openFleet(t, { env: { ORCH_PORT: String(await freePort()) } });
  const { url, adminKey } = fleet.daemon;
  const anna = await fleet.provision("anna");
  for (const user of HOSTILE) {
    const made = await fleet.platform("POST", "/engines/provision", { user_id: user, start: false });
    t.equal(made.status, 201, made.text);
  }
  const browser: ConsoleBrowser = await openBrowser(t, url);
  const page = await browser.open("");
  const fleetRow = (user: string, at: Page = page) => at.getByRole("row").filter({ hasText: user });
  const notice = (text: string) => page.locator(".notice").filter({ hasText: text }).waitFor();
  const engineView = `/engines/${anna.id}`;

  await signIn(page, adminKey);
  await fleetRow("anna").waitFor();

  await t.test("shows a remembered session before the daemon answers for it", async () => {
    const { promise: isShown, resolve: show } = Promise.withResolvers<void>();
    await page.route("**/console/session", async (route) => {
      await isShown;
      await route.continue();
    });
    await page.reload();
    await fleetRow("anna").waitFor();
    show();
    await page.unrouteAll({ behavior: "wait" });
  });

  await t.test("shows names of users as text, whatever is in them", async (t) => {
    for (const user of HOSTILE)
      t.equal(await page.locator(".fleet-table bdi").getByText(user, { exact: true }).count(), 1);
    t.equal(await page.locator("main img").count(), 0);
    await fleetRow("onerror").getByRole("link").click();
    await page
      .locator("h1")
      .getByText(HOSTILE[0] ?? "")
      .waitFor();
    await page.goBack();
    await page.getByRole("heading", { level: 1, name: "Fleet" }).waitFor();
  });

  await t.test("filters by user and state, and a link shows the same", async (t) => {
    await page.keyboard.press("/");
    await page.keyboard.type("ann");
    await until("one row is left", async () => (await page.locator(".fleet-table tbody tr").count()) === 1);
    await page.getByRole("button", { name: /^running/ }).click();
    const shared = await browser.open(page.url().split("/console/")[1] ?? "", {
      storageState: await page.context().storageState(),
    });
    await fleetRow("anna", shared).waitFor();
    t.equal(await shared.getByLabel("Search users").inputValue(), "ann");
    await shared.getByRole("button", { name: /^failed/ }).click();
    await shared.getByText("No engine fits these filters.").waitFor();
    await shared.context().close();
  });

  await t.test("is used by the keyboard alone", async (t) => {
    await show(page, "/");
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keyboard" }).waitFor();
    await page.keyboard.press("Escape");
    await until("the dialog is closed", async () => (await page.getByRole("dialog").count()) === 0);
    for (const [key, heading] of [
      ["p", "Products"],
      ["e", "Events"],
      ["a", "Audit log"],
      ["s", "Sessions"],
      ["f", "Fleet"],
    ] as const) {
      await page.keyboard.press("g");
      await page.keyboard.press(key);
      await page.getByRole("heading", { level: 1, name: heading }).waitFor();
    }
    const focused = () => page.evaluate<string>("document.activeElement.textContent");
    for (let presses = 0; presses < 60 && (await focused()) !== "anna"; presses++) await page.keyboard.press("Tab");
    await page.keyboard.press("ArrowUp");
    t.not(await focused(), "anna", "the focus is in the row above");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "anna" }).waitFor();
    // What has the focus may be drawn again while the view loads.
    await until("the focus is visible", async () => {
      await page.keyboard.press("Tab");
      return (await page.evaluate("getComputedStyle(document.activeElement).outlineStyle")) === "solid";
    });
  });

  await t.test("sleeps, wakes and stops an engine, and shows its events and its log", async (t) => {
    await show(page, engineView);
    await page.locator(".log").getByText("engine accepts turns").waitFor();
    await page.getByLabel("Filter lines").fill("no such line");
    await page.getByText("No line fits this filter.").waitFor();
    await page.getByLabel("Filter lines").fill("");
    await page.getByRole("button", { name: "Sleep" }).click();
    await page.locator(".view-title").getByText("sleeping").waitFor();
    const reason = page.locator(".facts > div").filter({ hasText: "put to sleep" });
    const widthOf = async (part: Locator) => (await part.boundingBox())?.width;
    t.equal(await widthOf(reason), await widthOf(page.locator(".facts").first()), "a sentence has a line of its own");
    await page.getByRole("button", { name: "Wake" }).click();
    await page.locator(".view-title").getByText("running").waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Stop" }).click();
    await page.locator(".view-title").getByText("stopped").waitFor();
    const stopped = page.getByRole("cell").filter({ hasText: "engine.stopped" }).first();
    await stopped.getByText("engine.stopped").click();
    await stopped.getByRole("definition").getByText("stopped", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Start" }).click();
    await page.locator(".view-title").getByText("running").waitFor();
    t.equal((await anna.show()).state, "running");
  });

  await t.test("shows CPU, memory, turns and restarts on a narrow page too, and sorts by them", async (t) => {
    await show(page, "/");
    for (const width of [390, 768]) {
      await page.setViewportSize({ width, height: 900 });
      const cells = fleetRow("anna").locator("td");
      await until("it has two lines", async () => (await cells.count()) === 4);
      const row = page.getByRole("region", { name: "Engines" });
      for (const title of ["CPU", "Memory", "Turns", "Restarts", "Last active"])
        await row.getByRole("button", { name: title }).waitFor();
      const { table, box } = await row.evaluate((one) => ({ table: one.scrollWidth, box: one.clientWidth }));
      t.ok(table <= box, `nothing of it is beyond the edge at ${width}`);
      const heights = await row
        .locator("tbody tr:not(.spacer)")
        .evaluateAll((rows) => [...new Set(rows.map((one) => one.getBoundingClientRect().height))]);
      t.same(heights, [53], "each row is as high as the scrolling counts on");
    }
    await page.getByRole("button", { name: "Memory" }).click();
    await until("the address says so", () => /sort=-memory/.test(page.url()));
    await page.setViewportSize({ width: 1280, height: 800 });
    await show(page, engineView);
  });

  await t.test("shows a new engine key once, and it works", async (t) => {
    await page.getByRole("button", { name: "Rotate key" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Rotate key" }).click();
    const key = (await page.locator("[data-secret]").textContent()) ?? "";
    await page.getByRole("button", { name: "I have stored it" }).click();
    t.equal((await fleet.sleeper({ ...anna, key }).call("/hitl/pending")).status, 200);
    t.equal((await anna.call("/hitl/pending")).status, 401, "the one before does not");
    t.notOk((await page.content()).includes(key));
  });

  await t.test("pauses and runs a schedule", async (t) => {
    const timing = { kind: "every", every_s: 86_400 };
    const made = await fleet.platform("POST", "/engines/anna/schedules", { name: "daily", timing, message: "/say hi" });
    await show(page, `${engineView}/schedules`);
    await page.getByRole("button", { name: "Run now" }).click();
    await notice("The schedule runs.");
    await page.getByRole("button", { name: "Pause" }).click();
    await page.getByRole("cell", { name: "paused" }).waitFor();
    t.equal((await fleet.platform("GET", `/engines/anna/schedules/${made.body.id}`)).body.enabled, false);
  });

  await t.test("registers a product whose key never leaves the browser", async (t) => {
    const sent: string[] = [];
    page.on("request", (request) => sent.push(request.postData() ?? ""));
    await show(page, "/products");
    await page.getByRole("link", { name: "Register product" }).click();
    await page.getByLabel("Slug").fill("Not A Slug");
    await page.getByRole("button", { name: "Register" }).click();
    await page.getByText("expected 1 to 63 of a-z").waitFor();
    await page.getByLabel("Slug").fill(PRODUCT);
    await page.getByRole("button", { name: "Register" }).click();
    await page.locator("[aria-invalid=true]").waitFor();
    await page.getByLabel("Slug").fill("second");
    await page.getByRole("button", { name: "Register" }).click();
    const key = (await page.locator("[data-secret]").textContent()) ?? "";
    t.notOk(sent.some((body) => body.includes(key)));
    t.equal((await fleet.daemon.platform(key, "/engines")).status, 200);
    await page.getByRole("button", { name: "I have stored it" }).click();
    await page.getByRole("heading", { level: 1, name: "second" }).waitFor();
  });

  await t.test("changes a policy, and names the field that does not fit", async (t) => {
    await page.getByLabel("Memory").fill("7");
    await page.getByRole("button", { name: "Save policy" }).click();
    await page.getByText("expected a whole number from 64 to 1048576").waitFor();
    await page.getByLabel("Memory").fill("512");
    await page.getByLabel("Network").fill("not a host!");
    await page.getByRole("button", { name: "Save policy" }).click();
    await page.locator(".field").filter({ hasText: "Network" }).locator(".field-problem").waitFor();
    await page.getByLabel("Network").fill("none");
    await page.getByRole("button", { name: "Save policy" }).click();
    await notice("The policy is changed.");
    const { policy } = (await fleet.daemon.admin("/products/second")).body;
    t.match(policy, { memory_mb: 512, tool_network: "none", max_engines: 100 });
    await show(page, "/products/second/budgets");
    t.ok(await page.getByRole("button", { name: "Save budgets" }).isDisabled(), "nothing is changed");
    await page.getByLabel("Tokens a day").first().fill("1");
    await page.getByRole("button", { name: "Discard" }).click();
    t.equal(await page.getByLabel("Tokens a day").first().inputValue(), "");
    await page.getByLabel("Tokens a day").first().fill("5000");
    await page.getByRole("button", { name: "Save budgets" }).click();
    await notice("The budgets are changed.");
    t.match((await fleet.daemon.admin("/products/second")).body.policy.budgets, { engine: { tokens_per_day: 5000 } });
  });

  await t.test("rolls a catalog back", async (t) => {
    await show(page, `/products/${PRODUCT}/catalog`);
    await page.getByText("No catalog was pushed for this product.").waitFor();
    for (const text of ["# One\n", "# Two\n"]) {
      const body = await catalogArchive({ "core-soul.md": text });
      const headers = { "content-type": "application/gzip" };
      const pushed = await fleet.daemon.platform(fleet.platformKey, "/catalog", { method: "PUT", body, headers });
      t.equal(pushed.status, 200, pushed.text);
    }
    await show(page, "/products");
    await show(page, `/products/${PRODUCT}/catalog`);
    await page.getByRole("row").filter({ hasText: "Roll back" }).first().getByRole("button").click();
    await page.getByRole("dialog").getByRole("button", { name: "Roll back" }).click();
    await page.getByText("files of version 1", { exact: true }).waitFor();
    t.equal((await fleet.platform("GET", "/catalog")).body.version, 3);
  });

  await t.test("rotates a platform key and deletes a product when its name is typed", async (t) => {
    await show(page, "/products/second");
    await page.getByRole("button", { name: "Rotate key" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Rotate key" }).click();
    const key = (await page.locator("[data-secret]").textContent()) ?? "";
    t.equal((await fleet.daemon.platform(key, "/engines")).status, 200);
    await page.getByRole("button", { name: "I have stored it" }).click();
    await page.getByRole("button", { name: "Delete" }).click();
    const confirm = page.getByRole("dialog").getByRole("button", { name: "Delete product" });
    t.ok(await confirm.isDisabled());
    await page.getByLabel("Confirmation").fill("second");
    await confirm.click();
    await page.getByRole("heading", { level: 1, name: "Products" }).waitFor();
    t.equal((await fleet.daemon.admin("/products/second")).status, 404);
  });

  await t.test("checks the audit log's chain, and finds a line that was changed", async (t) => {
    await show(page, "/audit");
    await page.getByText("The chain is intact.").waitFor();
    const [newest] = (await fleet.daemon.admin("/admin/audit?limit=200")).body.data.slice(-1);
    await page.getByText(`${newest.seq}:${newest.hash}`).waitFor();
    await page.route("**/admin/audit*", async (route) => {
      const answer = await route.fetch();
      await route.fulfill({
        response: answer,
        body: (await answer.text()).replace("product.registered", "product.Registered"),
      });
    });
    await page.getByRole("button", { name: "Check again" }).click();
    await page.getByText("The chain is broken.").waitFor();
    await page.getByText("Line 1 was changed.").waitFor();
    await page.unroute("**/admin/audit*");
    t.pass("shown");
  });

  await t.test("drains the host and resumes it", async (t) => {
    await show(page, "/");
    await page.getByRole("button", { name: "Drain host" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Drain host" }).click();
    await page.getByText("This host is draining").waitFor();
    t.equal((await fleet.daemon.admin("/admin/status")).body.draining, true);
    await page.getByRole("button", { name: "Resume host" }).click();
    await page.getByRole("button", { name: "Drain host" }).waitFor();
  });

  await t.test("has no serious finding on any view in both colour schemes, and fits 360 pixels", async (t) => {
    const views = [
      "/",
      engineView,
      `${engineView}/schedules`,
      `/engines/eng_none`,
      "/products",
      "/products/new",
      `/products/${PRODUCT}`,
      `/products/${PRODUCT}/budgets`,
      `/products/${PRODUCT}/catalog`,
      `/products/${PRODUCT}/knowledge`,
      `/products/${PRODUCT}/notifications`,
      "/events",
      "/audit",
      "/sessions",
      "/nowhere",
    ];
    // Colours do not depend on the width: one visit proves both.
    for (const [colorScheme, width] of [
      ["light", 1280],
      ["dark", 360],
    ] as const) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 800 });
      for (const view of views) {
        await show(page, view);
        t.same(await seriousFindings(page, colorScheme), [], `${view} in ${colorScheme}`);
        const wide = await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");
        t.ok(wide <= 0, `${view} is ${wide} pixels too wide`);
      }
    }
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.emulateMedia({ colorScheme: null });
  });

  await t.test("continues after a restart of the daemon, without a reload", async (t) => {
    await show(page, "/");
    const opened = await page.evaluate("performance.timeOrigin");
    await fleet.daemon.stop();
    await page.getByText("Reconnecting").waitFor();
    await fleet.restart();
    await page.getByText("Live", { exact: true }).waitFor();
    const made = await fleet.platform("POST", "/engines/provision", { user_id: "newcomer", start: false });
    t.equal(made.status, 201, made.text);
    await fleetRow("newcomer").waitFor();
    t.equal(await page.evaluate("performance.timeOrigin"), opened);
  });

  await t.test("destroys an engine when its user is typed", async (t) => {
    await show(page, engineView);
    await page.getByRole("button", { name: "Destroy" }).click();
    await page.getByLabel("Confirmation").fill("anna");
    await page.getByRole("dialog").getByRole("button", { name: "Destroy" }).click();
    await page.getByRole("heading", { level: 1, name: "Fleet" }).waitFor();
    await until("its row is gone", async () => (await fleetRow("anna").count()) === 0);
    t.equal((await anna.show()).error?.code, "ENGINE_NOT_FOUND");
  });

  await t.test("a viewer sees no button that changes something", async (t) => {
    const { body } = await fleet.daemon.admin("/console/links", { method: "POST", body: { role: "viewer" } });
    const reader = await browser.open(`#link=${body.link}`);
    await reader.getByText("Role: viewer").waitFor();
    t.equal(await reader.getByRole("button", { name: "Drain host" }).count(), 0);
    await show(reader, `/products/${PRODUCT}`);
    t.ok(await reader.getByLabel("Memory").isDisabled());
    await reader.context().close();
  });

  await t.test("a session that is revoked leads to the sign-in page, and back", async (t) => {
    await show(page, "/products");
    const { data } = (await fleet.daemon.admin("/admin/sessions")).body;
    for (const { id } of data) await fleet.daemon.admin(`/admin/sessions/${id}`, { method: "DELETE" });
    await page.getByText("Your session has ended.").waitFor();
    await signIn(page, adminKey);
    await page.getByRole("heading", { level: 1, name: "Products" }).waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByLabel("Admin key").waitFor();
    t.equal((await fleet.daemon.admin("/admin/sessions")).body.data.length, 0);
  });

  t.same(browser.offences, [], "no other origin, no error, no violation of the policy");
});
