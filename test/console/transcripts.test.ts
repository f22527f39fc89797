import type { Page } from "playwright-core";
import t from "tap";
import { signWebhook } from "../../src/contract/orchestrator/webhook-signature.ts";
import { ask } from "../helpers/api.ts";
import { freePort } from "../helpers/daemon.ts";
import { openFleet } from "../helpers/sleepers.ts";
import { until } from "../helpers/until.ts";
import { openBrowser, seriousFindings, show, signIn, withChromium } from "./browser.ts";

const HOSTILE = "<img src=x onerror=alert(1)>";
const NOTE = { type: "file", name: "note.txt", media_type: "text/plain", data: btoa("a note") };

t.test("conversations of a user, read again", withChromium, async (t) => {
  const env = { ORCH_PORT: String(await freePort()), ORCH_HEALTH_INTERVAL_S: "10" };
  const fleet = await openFleet(t, { env });
  const anna = await fleet.provision("anna");
  const browser = await openBrowser(t, fleet.daemon.url);
  let page = await browser.open("");
  const run = async (task_id: string, message: unknown) => {
    const answer = await anna.call("/execute", { task_id, message });
    t.equal(answer.status, 200, answer.text);
  };
  /** Sends a message to a new webhook, and waits for its turn. */
  const receive = async (body: object, message: string) => {
    const { body: hook } = await fleet.platform("POST", "/engines/anna/webhooks", body);
    const [id, timestamp] = ["msg_1", String(Math.floor(Date.now() / 1000))];
    const signature = signWebhook(hook.secret, { id, timestamp, body: Buffer.from(message) });
    const headers = { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signature };
    const sent = await ask(fleet.daemon.url, hook.path, { method: "POST", body: Buffer.from(message), headers });
    t.equal(sent.status, 202, sent.text);
    const path = `/engines/anna/webhooks/${hook.id}`;
    await until("its run is done", async () => (await fleet.platform("GET", path)).body.last_run?.state === "done");
  };
  await run("trip", [{ type: "text", text: "/tool list_files {}\n/usage 1000 50 800\n/say The way to Rome" }, NOTE]);
  await run("bills", `/say ${HOSTILE}`);
  const fork = await anna.call("/tasks/trip/fork", { task_id: "forked" });
  t.equal(fork.status, 200, fork.text);
  const timing = { kind: "every", every_s: 86_400 };
  const schedule = { name: "briefing", timing, message: "/say Nothing is new", task_id: "news" };
  const made = await fleet.platform("POST", "/engines/anna/schedules", schedule);
  t.equal(made.status, 201, made.text);
  await fleet.platform("POST", `/engines/anna/schedules/${made.body.id}/run`, {});
  const runs = async () => (await fleet.platform("GET", `/engines/anna/schedules/${made.body.id}/runs`)).body.data;
  await until("the run is done", async () => (await runs())[0]?.state === "done");
  await receive({ name: "orders", template: "/say Order {{payload.id}} came", task_id: "orders" }, '{"id":7}');
  await signIn(page, fleet.daemon.adminKey);
  const conversations = `/engines/${anna.id}/conversations`;
  const row = (title: string) => page.getByRole("row").filter({ hasText: title });
  const rows = () => page.locator("tbody tr").count();

  await t.test("lists and searches them", async (t) => {
    await show(page, conversations);
    await row(HOSTILE).waitFor();
    t.equal(await rows(), 5);
    await page.getByLabel("Search conversations").fill("nothing new");
    await row("Nothing is new").waitFor();
    await until("one is left", async () => (await rows()) === 1);
    await page.reload();
    await row("Nothing is new").waitFor();
    t.equal(await rows(), 1, "the address names the search");
    await page.getByLabel("Search conversations").fill("elephants");
    await page.getByText("No conversation has these words.").waitFor();
    await page.getByLabel("Search conversations").fill("");
  });

  await t.test("renames, archives and deletes one", async (t) => {
    await row(HOSTILE).getByRole("button", { name: "Rename" }).click();
    await page.getByLabel("Title").fill("The bills");
    await page.keyboard.press("Enter");
    await row("The bills").getByRole("button", { name: "Archive it" }).click();
    await row("The bills").waitFor({ state: "detached" });
    await page.getByLabel("Show").selectOption("archived");
    await row("The bills").getByRole("button", { name: "Unarchive" }).waitFor();
    t.equal(await rows(), 1);
    await row("The bills").getByRole("button", { name: "Delete" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByText("There is no conversation here.").waitFor();
    t.equal((await anna.call("/tasks/bills")).status, 404);
  });

  await t.test("the list is live in each tab, and the tabs share one stream of it", async (t) => {
    let streams = 0;
    page.context().on("request", (request) => {
      if (/\/tasks\?.*follow=true/.test(request.url())) streams++;
    });
    await show(page, conversations);
    await row("Nothing is new").waitFor();
    const tabs = [page];
    while (tabs.length < 7) {
      const tab = await page.context().newPage();
      await tab.goto(page.url());
      tabs.push(tab);
    }
    const inEach = (look: (tab: Page) => Promise<unknown>) => Promise.all(tabs.map(look));
    const rowIn = (tab: Page, title: string) => tab.getByRole("row").filter({ hasText: title });
    const change = (method: string, body?: object) =>
      ask(anna.url, "/tasks/live", { method, headers: { "x-engine-key": anna.key }, ...(body && { body }) });
    const input = { path: "a.txt", content: "x" };
    const turn = await anna.execute("live", `/slow 300\n/tool write_file ${JSON.stringify(input)}\n/say written`);
    const { data } = await turn.first("hitl_request");
    await inEach((tab) => rowIn(tab, "write_file").getByText("waiting", { exact: true }).waitFor());
    t.equal(streams, 1);
    await tabs.shift()?.close();
    await anna.call("/hitl/respond", { request_id: data["request_id"], answer: "allow_once" });
    await turn.all();
    await inEach((tab) => rowIn(tab, "write_file").locator(".state").waitFor({ state: "detached" }));
    await change("PATCH", { title: "Written" });
    await inEach((tab) => rowIn(tab, "Written").waitFor());
    await inEach((tab) => tab.getByLabel("Search conversations").fill("written"));
    await inEach((tab) => until("the search has one", async () => (await tab.locator("tbody tr").count()) === 1));
    await change("PATCH", { title: "Renamed" });
    await inEach((tab) => rowIn(tab, "Renamed").waitFor());
    await change("DELETE");
    await inEach((tab) => rowIn(tab, "Renamed").waitFor({ state: "detached" }));
    t.equal(streams, 2, "another tab reads it since the first one is closed");
    while (tabs.length > 1) await tabs.pop()?.close();
    page = tabs[0] ?? page;
    await page.getByLabel("Search conversations").fill("");
  });

  await t.test("shows a transcript with tools, files and tokens of each turn", async (t) => {
    await show(page, `${conversations}/trip`);
    const turn = page.getByRole("article");
    await turn.getByText("The way to Rome", { exact: true }).waitFor();
    await turn.getByText("note.txt (text/plain, 6 B)").waitFor();
    await turn.getByText(/tokens in \(800 cached\)/).waitFor();
    await turn.getByText("list_files", { exact: true }).click();
    await turn.getByText("output").waitFor();
    t.equal(await page.locator("main img").count(), 0);
    await turn.getByRole("link", { name: "Open the turn" }).click();
    const facts = page.getByRole("region", { name: "The turn" });
    await facts.getByRole("link", { name: "trip" }).click();
    await turn.getByText("The way to Rome", { exact: true }).waitFor();
    t.match(page.url(), /conversations\/trip$/, "a turn leads to its conversation");
  });

  await t.test("names the schedule that began a turn, and the conversation that a fork is of", async () => {
    await show(page, `${conversations}/news`);
    await page.getByRole("article").getByRole("link", { name: "schedule briefing" }).waitFor();
    await page.getByRole("link", { name: "Open the turn" }).click();
    await page.getByRole("region", { name: "The turn" }).getByRole("link", { name: "schedule briefing" }).click();
    await page.getByRole("button", { name: "Run now" }).waitFor();
    await show(page, `${conversations}/forked`);
    await page.getByText("forked from").getByRole("link", { name: "trip" }).click();
    await page.getByText("The way to Rome", { exact: true }).waitFor();
  });

  await t.test("a webhook's run, its turn and its conversation lead to each other", async (t) => {
    await show(page, `${conversations}/orders`);
    await page.getByRole("article").getByRole("link", { name: "webhook orders" }).click();
    const webhook = page
      .getByRole("region", { name: "Webhooks", exact: true })
      .getByRole("row")
      .filter({ hasText: "orders" });
    await webhook.getByRole("link", { name: "done" }).press("Enter");
    const facts = page.getByRole("region", { name: "The turn" });
    await facts.getByRole("link", { name: "webhook orders" }).waitFor();
    await facts.getByRole("link", { name: "orders", exact: true }).click();
    await page.getByRole("article").getByText("payload.id").first().waitFor();
    t.match(page.url(), /conversations\/orders$/);
    await page.getByRole("article").getByRole("link", { name: "webhook orders" }).click();
    const schedules = page.getByRole("region", { name: "Schedules", exact: true });
    await schedules.getByRole("row").filter({ hasText: "briefing" }).getByRole("link", { name: "done" }).click();
    await page.getByRole("region", { name: "The turn" }).getByRole("link", { name: "schedule briefing" }).waitFor();
  });

  await t.test("follows a turn, and answers its question in place", async () => {
    await show(page, `${conversations}/asked`);
    await page.getByText("This conversation has no message.").waitFor();
    const turn = await anna.execute("asked", "/ask Which one? | left | right\n/say thanks");
    await page.getByRole("group", { name: "Question" }).getByRole("button", { name: "left" }).click();
    await page.getByText("Answer: left", { exact: true }).waitFor();
    await page.getByText("thanks", { exact: true }).waitFor();
    await turn.all();
  });

  await t.test("has no serious finding in both colour schemes, and fits 390, 768 and 1440 pixels", async (t) => {
    for (const [colorScheme, width] of [
      ["light", 1440],
      ["dark", 1440],
      ["light", 768],
      ["light", 390],
      ["dark", 390],
    ] as const) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 900 });
      for (const [path, text] of [
        [conversations, "Nothing is new"],
        [`${conversations}/trip`, "The way to Rome"],
      ] as const) {
        await show(page, path);
        await page.getByRole("main").getByText(text).first().waitFor();
        t.same(await seriousFindings(page, colorScheme), [], `${path} at ${width} in ${colorScheme}`);
        const wide = await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");
        t.ok(wide <= 0, `${path} fits ${width} pixels`);
      }
    }
  });

  t.same(browser.offences, [], "no other origin, no error, no violation of the policy");
});
