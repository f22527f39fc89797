import { writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { ask } from "../helpers/api.ts";
import { freePort } from "../helpers/daemon.ts";
import { freshFolder } from "../helpers/folder.ts";
import { openFleet } from "../helpers/sleepers.ts";
import { until } from "../helpers/until.ts";
import { openBrowser, show, signIn, usableByAll, withChromium } from "./browser.ts";

const PRICE = {
  provider: "sandbox",
  model: "sandbox",
  valid_from: "2020-01-01",
  input: 1000,
  output: 2000,
  cache_read: 1,
};

t.test("usage and events in a browser", withChromium, async (t) => {
  const prices = join(freshFolder(t, "prices"), "prices.json");
  writeFileSync(prices, JSON.stringify({ currency: "USD", prices: [PRICE] }));
  const env = { ORCH_PORT: String(await freePort()), ORCH_PRICES: prices, LLM_PROVIDER: "sandbox" };
  const fleet = await openFleet(t, { env });
  const [anna, bert] = await Promise.all([fleet.provision("anna"), fleet.provision("bert")]);
  await fleet.daemon.admin("/products/sleepy/plans/pro", { method: "PUT", body: { policy: { memory_mb: 512 } } });
  await fleet.platform("PATCH", "/engines/anna", { plan: "pro" });
  await (await anna.execute("a", "/usage 10000 1000 0\n/say hello")).all();
  await (await bert.execute("b", "/usage 500 100 0\n/say hello")).all();
  await until("all is counted", async () => {
    // The daemon asks the engine for what it has not read yet.
    for (const user of ["anna", "bert"]) await fleet.platform("GET", `/engines/${user}/usage`);
    const { data } = (await fleet.platform("GET", "/usage?by=user")).body;
    return data.length === 2 && data.every(({ input_tokens: tokens }: { input_tokens: number }) => tokens > 0);
  });
  const browser = await openBrowser(t, fleet.daemon.url);
  const page = await browser.open("");
  await signIn(page, fleet.daemon.adminKey);
  const choice = (name: string) => page.getByRole("combobox", { name, exact: true });
  const ready = () => page.locator("main:not(:has([aria-busy='true']))").waitFor();

  await t.test("costs are drawn by day, and the table has what the chart shows", async (t) => {
    await page.keyboard.press("g");
    await page.keyboard.press("u");
    await page.getByRole("heading", { level: 1, name: "Usage" }).waitFor();
    const chart = page.getByRole("img", { name: /^Cost by day: \d+\.\d\d USD in all/ });
    await chart.waitFor();
    const row = page.getByRole("region", { name: "Usage by day" }).locator("tbody tr");
    t.equal(await row.count(), 1);
    const cost = (await row.locator("td").last().textContent()) ?? "";
    t.match(cost, /^\d+\.\d\d USD$/);
    t.match(await chart.getAttribute("aria-label"), new RegExp(`^Cost by day: ${cost} in all`));
    await chart.focus();
    await page.keyboard.press("ArrowLeft");
    const read = page.locator(".cost-chart output").first();
    await until("the day is read", async () => (await read.textContent())?.startsWith(cost));
  });

  await t.test("it is grouped by plan, user and model, and the address has the choice", async (t) => {
    await choice("By").selectOption("plan");
    await page.getByRole("link", { name: "pro of sleepy" }).waitFor();
    await page.getByRole("region", { name: "Usage by plan" }).getByText("no plan of sleepy").waitFor();
    t.match(page.url(), /by=plan/);
    const chart = page.getByRole("img", { name: /^Tokens by day: / });
    await until("it is split by plan", async () =>
      /in all\. pro of sleepy: [\d,]+, no plan of sleepy: [\d,]+\. /.test(
        (await chart.getAttribute("aria-label")) ?? "",
      ),
    );
    const legend = page.locator(".legend").last().getByRole("listitem");
    const counted = async () =>
      (await legend.allTextContents()).map((text) => Number(/([\d,]+)$/.exec(text)?.[1]?.replaceAll(",", "")));
    const whole = async () =>
      Number((await page.locator(".cost-chart output").last().textContent())?.replaceAll(/,| .*/g, ""));
    const [pro = 0, none = 0] = await counted();
    t.ok(pro > none && none > 0, "each plan has its own part");
    t.equal(pro + none, await whole());
    await chart.focus();
    await page.keyboard.press("ArrowRight");
    await until("the first day is read", async () => (await counted()).length === 2 && (await whole()) <= pro + none);
    t.equal((await page.locator("svg rect.series-1").count()) > 0, true);
    await choice("By").selectOption("user");
    const users = page.getByRole("region", { name: "Usage by user" }).locator("tbody tr");
    await users.filter({ hasText: "bert" }).waitFor();
    t.match(await users.first().textContent(), /^anna/, "the most first");
    await choice("By").selectOption("model");
    await page.getByText("sandbox:sandbox").waitFor();
    await choice("Time").selectOption("last");
    await page.getByText("Nothing was spent in this time.").waitFor();
  });

  await t.test("without prices it says who sets them", async () => {
    await page.route(/\/admin\/usage\?/, async (route) => {
      const response = await route.fetch();
      const { data, ...rest } = await response.json();
      const unpriced = data.map((record: object) => ({ ...record, cost_micros: null }));
      await route.fulfill({ response, json: { ...rest, data: unpriced, currency: null } });
    });
    await show(page, "/usage?by=plan");
    await page.getByText("Costs are not known").getByText("ORCH_PRICES").waitFor();
    await page.unrouteAll({ behavior: "wait" });
  });

  await t.test("an event says what happened, and is found by type, product, user and time", async (t) => {
    await show(page, "/events");
    const table = page.getByRole("region", { name: "Events of the host" });
    const rows = table.locator("tbody tr");
    await rows.filter({ hasText: "engine.plan_changed" }).getByText("plan none to pro").waitFor();
    await rows.filter({ hasText: "product.plan_changed" }).getByText("plan pro sets memory mb").waitFor();
    await choice("Type").selectOption("product");
    await until("one kind is left", async () => !(await table.textContent())?.includes("engine."));
    await choice("Type").selectOption("");
    await choice("Product").selectOption("sleepy");
    await rows.filter({ hasText: "engine.provisioned" }).first().waitFor();
    await show(page, "/events?user=anna&type=engine");
    await rows.first().waitFor();
    t.notMatch(await table.textContent(), /bert/);
    await page.getByRole("textbox", { name: "User", exact: true }).fill("");
    await rows.filter({ hasText: "bert" }).first().waitFor();
    await page.getByLabel("From").fill("2099-01-01T00:00");
    await page.getByText(/^None of the \d+ newest events fits\.$/).waitFor();
    await page.getByRole("button", { name: "All events" }).click();
    await rows.first().waitFor();
    t.match(page.url(), /#\/events$/);
  });

  await t.test("a run is named by its schedule, and leads to its turn", async (t) => {
    const timing = { kind: "at", at: new Date(Date.now() + 300).toISOString() };
    await fleet.platform("POST", "/engines/anna/schedules", { name: "soon", timing, message: "/say morning" });
    await show(page, "/events");
    const ran = page.getByRole("row").filter({ hasText: "schedule.ran" });
    await ran.getByText("run of schedule soon").waitFor();
    t.notMatch(await ran.textContent(), /sch_|run_/, "no id");
    await ran.getByRole("link", { name: "Turn" }).click();
    await page.getByText("morning").first().waitFor();
  });

  await t.test("a turn is named by the title of its conversation, and a deleted product by its slug", async (t) => {
    const endpoint = { url: "https://hooks.example.com/orchd", events: ["turn.completed"] };
    const made = await fleet.platform("POST", "/notifications/endpoints", endpoint);
    t.equal(made.status, 201, made.text);
    const task_id = "0199c0de-aaaa-7000-8000-0123456789ab";
    t.equal((await anna.call("/execute", { task_id, message: "/say Way to Rome" })).status, 200);
    t.equal((await anna.call("/execute", { task_id: "plain", message: "/say hello" })).status, 200);
    const renamed = { method: "PATCH", headers: { "x-engine-key": anna.key }, body: { title: "The journey" } };
    t.equal((await ask(anna.url, `/tasks/${task_id}`, renamed)).status, 200);
    await fleet.daemon.admin("/products/register", { method: "POST", body: { slug: "short-lived" } });
    await fleet.daemon.admin("/products/short-lived", { method: "DELETE" });
    await show(page, "/events");
    const row = page.getByRole("row").filter({ hasText: "turn.completed" }).filter({ hasText: "The journey" });
    await row.first().waitFor();
    t.notMatch(await row.first().textContent(), /0199c0de/);
    await row.first().getByRole("link", { name: "Conversation" }).waitFor();
    const gone = page.getByRole("row").filter({ hasText: "product.deleted" });
    await gone.getByText("short-lived", { exact: true }).waitFor();
    t.notMatch(await page.getByRole("region", { name: "Events of the host" }).textContent(), /prd_/);
  });

  await t.test("a narrow page has the same of each event, and two times that belong together", async (t) => {
    await show(page, "/events");
    const top = async (label: string) => Math.round((await page.getByLabel(label).boundingBox())?.y ?? Number.NaN);
    for (const width of [768, 1440]) {
      await page.setViewportSize({ width, height: 900 });
      t.equal(await top("To"), await top("From"), `on one line at ${width}`);
    }
    for (const width of [390, 768]) {
      await page.setViewportSize({ width, height: 900 });
      const row = page.getByRole("row").filter({ hasText: "engine.running" }).filter({ hasText: "bert" });
      await row.getByText("starting → running").waitFor();
      await page.getByRole("row").filter({ hasText: "engine.plan_changed" }).getByText("plan none to pro").waitFor();
    }
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  await t.test("both fit each width, and are read in the dark", async (t) => {
    for (const path of ["/usage", "/usage?by=plan", "/events"]) {
      await show(page, path);
      await ready();
      await usableByAll(t, page, path);
    }
  });
  t.same(browser.offences, []);
});
