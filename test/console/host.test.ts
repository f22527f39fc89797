import { join } from "node:path";
import t from "tap";
import { catalogArchive } from "../helpers/catalog-archive.ts";
import { freePort } from "../helpers/daemon.ts";
import { freshFolder } from "../helpers/folder.ts";
import { openFleet } from "../helpers/sleepers.ts";
import { until } from "../helpers/until.ts";
import { openBrowser, seriousFindings, show, signIn, usableByAll, withChromium } from "./browser.ts";

const BROKEN = { command: "node", args: ["-e", "console.error('no such database'); process.exit(1)"] };

t.test("the host, schedules, webhooks and tool servers in a browser", withChromium, async (t) => {
  const env = { ORCH_PORT: String(await freePort()), ORCH_BACKUP_DIR: join(freshFolder(t), "backups") };
  const fleet = await openFleet(t, { env });
  const anna = await fleet.provision("anna");
  const browser = await openBrowser(t, fleet.daemon.url);
  const page = await browser.open("");
  await signIn(page, fleet.daemon.adminKey);
  const button = (name: string) => page.getByRole("button", { name, exact: true });
  const schedules = async () => (await fleet.platform("GET", "/engines/anna/schedules")).body.data;
  const webhooks = async () => (await fleet.platform("GET", "/engines/anna/webhooks")).body.data;

  await t.test("the checks of the host are listed with what helps, and a backup is made", async (t) => {
    await page.keyboard.press("g");
    await page.keyboard.press("h");
    const checks = page.getByRole("list", { name: "Checks" });
    await checks.getByRole("listitem").first().waitFor();
    const { body } = await fleet.daemon.admin("/admin/doctor");
    t.equal(await checks.getByRole("listitem").count(), body.checks.length);
    await page.getByText("There is no backup.").waitFor();
    await button("Back up now").click();
    await page.getByRole("region", { name: "Backups" }).getByRole("cell").first().waitFor();
    t.equal((await fleet.daemon.admin("/admin/backups")).body.data.length, 1);
  });

  await t.test("a schedule is created, refused at its field, paused and deleted", async (t) => {
    await show(page, `/engines/${anna.id}/schedules`);
    await button("New schedule").click();
    await page.getByLabel("Name").fill("daily");
    await page.getByLabel("Message").fill("/say good morning");
    await page.getByLabel("Cron expression").fill("every day");
    await page.keyboard.press("Enter");
    await page
      .locator(".field-problem")
      .filter({ hasText: /expected/ })
      .waitFor();
    t.same(await seriousFindings(page, "light"), []);
    await page.getByLabel("Cron expression").fill("0 8 * * 1-5");
    await page.getByLabel("Time zone").fill("Europe/Berlin");
    await button("Create schedule").click();
    await page.getByText("0 8 * * 1-5 (Europe/Berlin)").waitFor();
    t.match(await schedules(), [{ name: "daily", timing: { kind: "cron", time_zone: "Europe/Berlin" } }]);
    await button("Pause").click();
    await page.getByRole("cell", { name: "paused" }).waitFor();
    await button("Delete daily").click();
    await button("Delete schedule").click();
    await until("it is gone", async () => (await schedules()).length === 0);
    await button("New schedule").click();
    await page.getByLabel("Name").fill("often");
    await page.getByLabel("Message").fill("/say hello");
    await page.getByLabel("When").selectOption("every");
    await page.getByLabel("Minutes").fill("30");
    await button("Create schedule").click();
    await until("it is created", async () => (await schedules())[0]?.timing.every_s === 1800);
  });

  await t.test("a webhook is created, its secret is shown once, and it is paused and deleted", async (t) => {
    await button("New webhook").click();
    await page.getByLabel("Name").fill("orders");
    await page.getByLabel("Message").fill("An order: {{payload.id}}");
    await button("Create webhook").click();
    const secret = (await page.locator("[data-secret]").textContent()) ?? "";
    t.match(secret, /^whsec_/);
    await button("I have stored it").click();
    t.match(await webhooks(), [{ name: "orders", template: "An order: {{payload.id}}", enabled: true }]);
    t.notMatch(await page.content(), secret);
    await button("Pause orders").click();
    await button("Resume orders").waitFor();
    t.equal((await webhooks())[0].enabled, false);
    await button("Delete orders").click();
    await button("Delete webhook").click();
    await page.getByText("This engine has no webhook.").waitFor();
    t.same(await webhooks(), []);
  });

  await t.test("a tool server that fails says why, with its last lines", async (t) => {
    await show(page, `/engines/${anna.id}/tool-servers`);
    await page.getByText("This engine has no tool server.").waitFor();
    const body = await catalogArchive({ ".mcp.json": JSON.stringify({ mcpServers: { orders: BROKEN } }) });
    const headers = { "content-type": "application/gzip" };
    await fleet.daemon.platform(fleet.platformKey, "/catalog", { method: "PUT", body, headers });
    const server = page.getByRole("region", { name: "orders", exact: true });
    await until("it has failed", async () => {
      await button("Read again").click();
      const text = (await server.count()) > 0 ? ((await server.textContent()) ?? "") : "";
      return /no such database/.test(text) && /failed|restarting/.test(text);
    });
    t.same(await seriousFindings(page, "light"), []);
  });

  await t.test("all fit each width, and are read in the dark", async (t) => {
    for (const path of ["/host", `/engines/${anna.id}/schedules`, `/engines/${anna.id}/tool-servers`]) {
      await show(page, path);
      await page.locator("main:not(:has([aria-busy='true']))").waitFor();
      await usableByAll(t, page, path);
    }
  });
  t.same(browser.offences, []);
});
