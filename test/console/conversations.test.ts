import type { Page } from "playwright-core";
import t from "tap";
import { ask } from "../helpers/api.ts";
import { freePort } from "../helpers/daemon.ts";
import { openFleet } from "../helpers/sleepers.ts";
import { until } from "../helpers/until.ts";
import { openBrowser, seriousFindings, show, signIn, withChromium } from "./browser.ts";

const HOSTILE = "<img src=x onerror=alert(1)>";

t.test("conversations in a browser", withChromium, async (t) => {
  const env = { ORCH_PORT: String(await freePort()), ORCH_HEALTH_INTERVAL_S: "10" };
  const fleet = await openFleet(t, { env });
  const anna = await fleet.provision("anna");
  const run = async (task: string, message: string) => (await anna.execute(task, message)).all();
  await run("trip", "/think hm\n/tool list_files {}\n/say Plan the journey to Rome");
  await run("bills", `/say ${HOSTILE}`);
  const browser = await openBrowser(t, fleet.daemon.url);
  const page = await browser.open("");
  await signIn(page, fleet.daemon.adminKey);
  const playground = `/engines/${anna.id}/playground`;
  const list = page.getByRole("navigation", { name: "Conversations" });
  const send = async (message: string, at: Page = page) => {
    await at.getByLabel("Message", { exact: true }).fill(message);
    await at.keyboard.press("Enter");
  };
  const answers = page.locator(".exchange .answer");
  const answerIs = (text: string) => answers.last().getByText(text, { exact: true }).waitFor();
  const excessWidth = () => page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");
  const patch = (task: string, body: object) =>
    ask(anna.url, `/tasks/${task}`, { method: "PATCH", headers: { "x-engine-key": anna.key }, body });

  await t.test("lists conversations, and opens one by the keyboard", async (t) => {
    await show(page, playground);
    await list.getByRole("link", { name: HOSTILE }).waitFor();
    await list.getByRole("link", { name: /Plan the journey/ }).focus();
    await page.keyboard.press("Enter");
    await answerIs("Plan the journey to Rome");
    t.match(page.url(), /playground\?task=trip$/);
    await page.locator(".tool").getByText("list_files").waitFor();
    await page.getByText("Thinking", { exact: true }).first().waitFor();
    t.equal(await page.locator("main img").count(), 0, "a title and a message are text");
  });

  await t.test("shows at once what other clients begin, rename and delete", async () => {
    await run("other", "/say From elsewhere");
    const first = list.locator("li").first();
    await first.getByText(/From elsewhere/).waitFor();
    await patch("other", { title: "Renamed elsewhere" });
    await first.getByText("Renamed elsewhere").waitFor();
    await run("trip", "/say by another client");
    await answerIs("by another client");
    await ask(anna.url, "/tasks/other", { method: "DELETE", headers: { "x-engine-key": anna.key } });
    await list.getByText("Renamed elsewhere").waitFor({ state: "detached" });
  });

  await t.test("shows a conversation whose events are gone", async (t) => {
    await page.route("**/execute/replay*", (route) => route.abort());
    await show(page, playground);
    await show(page, `${playground}?task=bills`);
    await answerIs(HOSTILE);
    await page.unroute("**/execute/replay*");
    t.equal(await page.locator(".exchange").getByRole("alert").count(), 0);
  });

  await t.test("searches, renames, archives and deletes", async (t) => {
    await list.getByLabel("Search conversations").fill("journey");
    await list.getByText(HOSTILE).waitFor({ state: "detached" });
    await list.getByRole("link", { name: /Plan the journey/ }).click();
    await answerIs("by another client");
    await list.getByLabel("Search conversations").fill("");
    await page.getByRole("button", { name: "Rename" }).click();
    await page.getByLabel("Title").fill("The journey");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 2, name: "The journey" }).waitFor();
    await list.getByRole("link", { name: /The journey/ }).waitFor();
    await page.getByRole("button", { name: "Archive it" }).click();
    await list.getByRole("link", { name: /The journey/ }).waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Unarchive" }).waitFor();
    await list.getByRole("button", { name: "Archive" }).click();
    await list.getByRole("link", { name: /The journey/ }).waitFor();
    await page.getByRole("button", { name: "Unarchive" }).click();
    await list.getByText("Nothing is archived.").waitFor();
    await list.getByRole("button", { name: "Archive" }).click();
    await list.getByRole("link", { name: HOSTILE }).click();
    await answerIs(HOSTILE);
    await page.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByText("Nothing was said yet.").waitFor();
    t.equal((await anna.call("/tasks/bills")).status, 404);
  });

  await t.test("begins a conversation that gets an address", async (t) => {
    await show(page, playground);
    await send("/say first");
    await answerIs("first");
    await list.getByRole("link", { name: /first/ }).waitFor();
    t.match(page.url(), /\?task=playground-/);
    await page.reload();
    await answerIs("first");
  });

  await t.test("edits a message and sends it again, by the keyboard", async (t) => {
    await show(page, `${playground}?task=talk`);
    await send("/say one");
    await answerIs("one");
    await send("/say two");
    await answerIs("two");
    const first = page.locator(".exchange").first();
    await first.getByRole("button", { name: "Edit" }).press("Enter");
    const field = page.getByLabel("Edited message");
    await field.press("Escape");
    await first.getByText("/say one", { exact: true }).waitFor();
    t.equal(await page.evaluate("document.activeElement.textContent"), "Edit", "the focus returns");
    await first.getByRole("button", { name: "Edit" }).press("Enter");
    await field.fill("/say three");
    await field.press("Enter");
    await answerIs("three");
    await until("one exchange is left", async () => (await page.locator(".exchange").count()) === 1);
    await page.getByRole("button", { name: "Regenerate" }).waitFor();
    const { body } = await anna.call("/tasks/talk/messages");
    t.equal(body.items.length, 2);
    t.match(body.items[0], { role: "user", parts: [{ text: "/say three" }] });
  });

  await t.test("has the last message answered again, and one that failed", async (t) => {
    const turn = async () => (await anna.call("/tasks/talk/messages")).body.items.at(-1).turn_id;
    const before = await turn();
    await page.getByRole("button", { name: "Regenerate" }).click();
    await until("another turn has answered", async () => (await turn()) !== before);
    await answerIs("three");
    await page.getByRole("button", { name: "Regenerate" }).waitFor();
    t.equal(await page.locator(".exchange").count(), 1);
    t.equal((await anna.call("/tasks/talk/messages")).body.items.length, 2);
    await send("/fail provider");
    await page.getByRole("alert").filter({ hasText: "LLM_PROVIDER_ERROR" }).waitFor();
    await page.getByRole("button", { name: "Regenerate" }).click();
    await page.getByText("Working").waitFor({ state: "detached" });
    await page.getByRole("alert").filter({ hasText: "LLM_PROVIDER_ERROR" }).waitFor();
    t.equal(await page.locator(".exchange").count(), 2);
  });

  await t.test("forks a conversation after an answer", async (t) => {
    await page.locator(".exchange").first().getByRole("button", { name: "Fork from here" }).click();
    await page.getByText("forked from").waitFor();
    await answerIs("three");
    await send("/say in the fork");
    await answerIs("in the fork");
    t.equal(await page.locator(".exchange").count(), 2);
    await page.getByRole("link", { name: "talk", exact: true }).click();
    await page.getByRole("alert").filter({ hasText: "LLM_PROVIDER_ERROR" }).waitFor();
  });

  await t.test("steers and queues while a turn runs, and changes what waits", async (t) => {
    await show(page, `${playground}?task=busy`);
    await send("/slow 20000\n/tool list_files {}\n/say the long one");
    await page.getByRole("button", { name: "Steer" }).waitFor();
    const message = page.getByLabel("Message", { exact: true });
    await message.fill("/say steered");
    await message.press("Enter");
    const waiting = page.getByRole("region", { name: "Waiting messages" }).getByRole("listitem");
    await waiting.filter({ hasText: "steers" }).filter({ hasText: "/say steered" }).waitFor();
    t.equal(await message.inputValue(), "");
    for (const text of ["/say queued", `/say ${HOSTILE}`, "/say nothing"]) {
      await message.fill(text);
      await message.press("Alt+Enter");
      await waiting.filter({ hasText: "queued" }).filter({ hasText: text }).waitFor();
    }
    await waiting.last().getByRole("button", { name: "Remove" }).press("Enter");
    await until("it is removed", async () => (await waiting.count()) === 3);
    await waiting.nth(1).getByRole("button", { name: "Edit" }).press("Enter");
    await page.getByLabel("Edited message").fill("/say changed");
    await page.getByLabel("Edited message").press("Enter");
    await waiting.filter({ hasText: "/say changed" }).waitFor();
    const link = page.url().split("/console/")[1] ?? "";
    const other = await browser.open(link, { storageState: await page.context().storageState() });
    await other.getByRole("region", { name: "Waiting messages" }).getByText("/say changed").waitFor();
    t.same(await seriousFindings(page, "light"), []);
    await page.setViewportSize({ width: 390, height: 800 });
    t.ok((await excessWidth()) <= 0, "waiting messages fit 390 pixels");
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.locator(".exchange").first().locator(".said").getByText("/say steered", { exact: true }).waitFor();
    await answerIs(HOSTILE);
    await page.getByRole("button", { name: "Send" }).waitFor();
    t.equal(await waiting.count(), 0);
    await other.locator(".exchange .answer").last().getByText(HOSTILE, { exact: true }).waitFor();
    for (const at of [page, other])
      t.same(await at.locator(".exchange").locator("> .said").allTextContents(), [
        "/slow 20000\n/tool list_files {}\n/say the long one",
        "/say steered",
        "/say changed",
        `/say ${HOSTILE}`,
      ]);
    t.equal(await page.locator("main img").count(), 0);
    await other.context().close();
    const shown = await page.locator(".exchange").first().innerText();
    await page.reload();
    await answerIs(HOSTILE);
    t.equal(await page.locator(".exchange").first().innerText(), shown, "the same from the stored messages");
  });

  await t.test("reads earlier messages on request", async (t) => {
    for (let turn = 0; turn < 52; turn++) await run("long", `/say answer ${turn}`);
    await show(page, `${playground}?task=long`);
    await answerIs("answer 51");
    t.equal(await page.locator(".exchange").count(), 50);
    await page.getByRole("button", { name: "Show earlier messages" }).click();
    await until("all are shown", async () => (await page.locator(".exchange").count()) === 52);
  });

  await t.test("has no serious finding in both colour schemes, and fits 390 pixels", async (t) => {
    for (const [colorScheme, width] of [
      ["light", 1280],
      ["dark", 390],
    ] as const) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 800 });
      await show(page, `${playground}?task=trip`);
      await answerIs("by another client");
      const button = list.getByRole("button", { name: "Conversations" });
      if (await button.isVisible()) await button.click();
      await list.getByRole("link", { name: /The journey/ }).waitFor();
      t.same(await seriousFindings(page, colorScheme), [], colorScheme);
      t.ok((await excessWidth()) <= 0, `fits ${width} pixels`);
    }
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  t.same(browser.offences, [], "no other origin, no error, no violation of the policy");
});
