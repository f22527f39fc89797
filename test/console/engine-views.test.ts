import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import t from "tap";
import { ask } from "../helpers/api.ts";
import { freePort } from "../helpers/daemon.ts";
import { openFleet } from "../helpers/sleepers.ts";
import { until } from "../helpers/until.ts";
import { openBrowser, seriousFindings, show, signIn, withChromium } from "./browser.ts";

const HOSTILE = "<img src=x onerror=alert(1)>";
const LONG = 20_000;
const CALLS = 1000;

/** A memory of two nodes and a relation: the sandbox model finds none. */
function peopleFile(): string {
  const at = "2026-11-22T12:00:00.000Z";
  const node = (id: string, name: string) => ({
    type: "social_node",
    id,
    name,
    node_type: "person",
    aliases: [name.toLowerCase()],
    summary: "",
    trust: "user",
    mention_count: 1,
    first_seen: at,
    last_seen: at,
  });
  const edge = { type: "social_edge", id: "ed_1", from: "nd_1", to: "nd_2", relation: "works at", trust: "user" };
  const times = { valid_from: null, valid_to: null, created_at: at, invalidated_at: null };
  const from = { engine_id: "eng_1", user_id: "anna", product: "sleepy", exported_at: at };
  const lines = [
    { type: "header", format: "orchd-memory", version: 1, engine_version: "0.1.0", ...from },
    node("nd_1", "Berta"),
    node("nd_2", "Acme"),
    { ...edge, ...times },
    { type: "end", counts: { social_node: 2, social_edge: 1 } },
  ];
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}

t.test("turns, playground and memory in a browser", withChromium, async (t) => {
  // An engine that answers late on a loaded machine is not ended: six probes last a minute.
  const env = { ORCH_PORT: String(await freePort()), ORCH_HEALTH_INTERVAL_S: "10" };
  const fleet = await openFleet(t, { env });
  const { url, adminKey } = fleet.daemon;
  const anna = await fleet.provision("anna");
  const run = async (task: string, message: string) => (await anna.execute(task, message)).all();
  await run("trip", `/think a moment\n/tool list_files {}\n/tool memory_note {"content":"${HOSTILE}"}\n/say done`);
  await run("about", "/say fine\nMy name is Anna. I live in Oslo.");
  for (const name of ["Berlin", "Paris", "Rome"])
    await run(
      name,
      `/tool list_files {}\n/tool search_files {"pattern":"Berlin"}\n/say done\nSummarise the weekly report of ${name}.`,
    );
  await run("long", `/stream ${LONG}`);
  await run("many", `${"/tool plan {}\n".repeat(CALLS)}/say done`);
  const learned = await anna.call("/admin/lc/trigger", {});
  t.equal(learned.body.knowledge_added, 2, learned.text);
  const imported = await ask(anna.url, "/memory/import", {
    method: "POST",
    headers: { "x-engine-key": anna.key, "content-type": "application/x-ndjson" },
    body: peopleFile(),
  });
  t.match(imported.body, { imported: { social_node: 2, social_edge: 1 } }, imported.text);
  const { body: turns } = await anna.call("/turns");
  const turnOf = (task: string): string =>
    turns.items.find((turn: { task_id: string }) => turn.task_id === task).turn_id;
  const browser = await openBrowser(t, url);
  const page = await browser.open("");
  await signIn(page, adminKey);
  const engine = `/engines/${anna.id}`;
  const send = async (message: string, at: Page = page) => {
    await at.getByLabel("Message").fill(message);
    await at.keyboard.press("Enter");
  };
  const lastAnswer = (text: string) => page.locator(".exchange").last().getByText(text, { exact: true }).waitFor();

  await t.test("opens a turn by the keyboard, and shows what it did and what the model was sent", async (t) => {
    await show(page, `${engine}/turns`);
    await page.getByRole("link", { name: /^\/think a moment/ }).focus();
    await page.keyboard.press("Enter");
    const waterfall = page.getByRole("region", { name: "What happened when" });
    await waterfall.getByRole("button", { name: "list_files" }).waitFor();
    const modelCalls = waterfall.getByRole("button", { name: "Model sandbox" });
    await modelCalls.nth(1).waitFor();
    t.equal(await modelCalls.count(), 2);
    t.equal(await page.locator("main img").count(), 0, "content is text, whatever is in it");
    const context = page.getByRole("region", { name: "Context window" });
    await context.getByText("System prompt").waitFor();
    const numbers = await context.locator("tbody tr td:nth-child(2)").allTextContents();
    const tokens = numbers.slice(0, 7).map((text) => Number(text.replaceAll(",", "")));
    const { body } = await anna.call(`/turns/${turnOf("trip")}/requests`);
    t.equal(
      tokens.reduce((sum, part) => sum + part, 0),
      body.requests[0].usage.input_tokens,
    );
    const request = page.getByRole("region", { name: "Request as it was sent" });
    await request.getByText("messages:").click();
    await request.getByText("user", { exact: true }).first().waitFor();
    await waterfall.getByRole("button", { name: "list_files" }).press("Enter");
    await page.getByRole("region", { name: "Details: list_files" }).getByText("tool_result:").waitFor();
  });

  await t.test("links to one event of a turn", async () => {
    const link = page.url().split("/console/")[1] ?? "";
    const other = await browser.open(link, { storageState: await page.context().storageState() });
    await other.getByRole("region", { name: "Details: list_files" }).waitFor();
    await other.context().close();
  });

  await t.test(`shows turns of ${LONG} events and of ${CALLS} calls`, async (t) => {
    await show(page, `${engine}/turns/${turnOf("long")}`);
    await page.getByRole("button", { name: "Answer" }).click();
    await page
      .getByRole("region", { name: "Details: Answer" })
      .getByText(`word${LONG - 1}`)
      .waitFor();
    await show(page, `${engine}/turns/${turnOf("many")}?at=call-2`);
    await page.getByRole("region", { name: "Details: Model sandbox" }).waitFor();
    const rows = page.locator(".waterfall table");
    await until("all are read", async () => Number(await rows.getAttribute("aria-rowcount")) > CALLS);
    t.ok((await page.locator(".waterfall tbody tr").count()) < 100, "only visible rows are drawn");
    const last = page.locator(".waterfall tr.selected");
    t.ok(await last.isVisible(), "the row of the link is scrolled to");
  });

  await t.test("leads from a turn to its conversation, and to the turns of it alone", async (t) => {
    await show(page, `${engine}/turns`);
    await page.getByRole("link", { name: "trip", exact: true }).click();
    await page.getByRole("link", { name: "Its turns" }).click();
    await until("one row is left", async () => (await page.locator("tbody tr").count()) === 1);
    t.match(page.url(), /task=trip$/);
  });

  await t.test("talks to an engine, and answers its questions in place", async (t) => {
    await show(page, `${engine}/playground`);
    await page.getByText("Nothing was said yet.").waitFor();
    await page.getByRole("button", { name: "/ask" }).click();
    t.match(await page.getByLabel("Message").inputValue(), /^\/ask Which one\?/);
    await send(`/think hm\n/ask Which one? | left | right\n/say ${HOSTILE}`);
    await page.getByRole("group", { name: "Question" }).getByRole("button", { name: "left" }).click();
    await page.getByText("Answer: left", { exact: true }).waitFor();
    await lastAnswer(HOSTILE);
    t.equal(await page.locator("main img").count(), 0);
    await send('/tool write_file {"path":"a.txt","content":"x"}\n/say written');
    await page.getByRole("group", { name: "Permission" }).getByRole("button", { name: "allow once" }).click();
    await lastAnswer("written");
    await send("/fail provider");
    await page.getByRole("alert").filter({ hasText: "LLM_PROVIDER_ERROR" }).waitFor();
  });

  await t.test("attaches a file, and cancels a turn", async () => {
    const file = { name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("a note") };
    await page.locator("input[type=file]").setInputFiles(file);
    await send("/attachments");
    await page.locator(".exchange").last().locator(".answer").getByText("notes.txt").waitFor();
    await send("/slow 60000");
    await page.getByRole("button", { name: "Cancel the turn" }).click();
    await page.getByRole("alert").filter({ hasText: "CANCELLED" }).waitFor();
  });

  await t.test("shows a call as code, which runs", async (t) => {
    await page.getByLabel("Message").fill('it\'s "quoted"');
    const shell = (await page.getByLabel("The request by curl").textContent()) ?? "";
    t.match(shell, "'\\''s");
    const [, body = ""] = /-d '([^]*)'$/.exec(shell) ?? [];
    t.match(JSON.parse(body.replaceAll("'\\''", "'")), { message: 'it\'s "quoted"' });
  });

  await t.test("continues a turn after the daemon was restarted", async () => {
    await show(page, `${engine}/playground?task=restart`);
    await send("/stream 40 10\n/say the end");
    await page.getByText("word3", { exact: false }).first().waitFor();
    await fleet.daemon.stop();
    await fleet.restart();
    await page.getByText("Live", { exact: true }).waitFor();
    await lastAnswer("the end");
  });

  await t.test("provisions an engine to talk to", async () => {
    await show(page, "/playground");
    const choice = page.getByRole("listitem").filter({ hasText: "anna" });
    await choice.getByRole("link", { name: "anna" }).waitFor();
    await choice.getByText("running", { exact: true }).waitFor();
    await page.getByLabel("User").fill("bert");
    await page.getByRole("button", { name: "Provision and talk" }).click();
    await page.getByRole("heading", { level: 1, name: "bert" }).waitFor();
    await send("/say hello bert");
    await lastAnswer("hello bert");
  });

  await t.test("shows what is remembered, searches it, ends a fact and decides a draft", async (t) => {
    await show(page, `${engine}/memory`);
    const fact = page.getByRole("row").filter({ hasText: "lives in Oslo" });
    await fact.getByRole("button", { name: "End" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "End the fact" }).click();
    await fact.getByText(/^until /).waitFor();
    await page.getByLabel("Search the memory").fill("What is my name?");
    await page.keyboard.press("Enter");
    await page.getByRole("row").filter({ hasText: "answers" }).filter({ hasText: "name is Anna" }).first().waitFor();
    await show(page, `${engine}/memory?list=episodes`);
    await page.getByRole("link", { name: /Summarise the weekly report of Rome/ }).waitFor();
    await show(page, `${engine}/memory?list=graph`);
    await page.getByRole("row").filter({ hasText: "Berta" }).filter({ hasText: "works at Acme" }).waitFor();
    t.same(await page.locator(".graph .relation").allTextContents(), ["works at"]);
    await show(page, `${engine}/memory?list=skills`);
    const draft = page.getByRole("region", { name: /done-summarise/ });
    await draft.getByText("proposed").waitFor();
    await draft.getByRole("button", { name: "Refuse" }).click();
    await draft.getByText("refused").waitFor();
    t.equal(await draft.getByRole("button").count(), 0, "it is decided once");
    t.match((await anna.call("/memory/skills")).body.skills, [{ state: "refused" }]);
  });

  await t.test("has no serious finding in both colour schemes, and fits 360 pixels", async (t) => {
    const views = [
      `${engine}/turns`,
      `${engine}/turns/${turnOf("trip")}`,
      `${engine}/turns/turn_none`,
      `${engine}/playground`,
      `${engine}/memory`,
      `${engine}/memory?q=name`,
      `${engine}/memory?list=graph`,
      "/playground",
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
        await until("all of it is shown", () => page.evaluate<boolean>("!document.querySelector('[aria-busy=true]')"));
        t.same(await seriousFindings(page, colorScheme), [], `${view} in ${colorScheme}`);
        const wide = await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");
        t.ok(wide <= 0, `${view} is ${wide} pixels too wide`);
      }
    }
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  await t.test("a viewer opens no conversation, and an operator erases no memory", async (t) => {
    const signedInAs = async (role: string) => {
      const { body } = await fleet.daemon.admin("/console/links", { method: "POST", body: { role } });
      const opened = await browser.open(`#link=${body.link}`);
      await opened.getByText(`Role: ${role}`).waitFor();
      return opened;
    };
    const viewer = await signedInAs("viewer");
    for (const view of ["playground?task=trip", "turns", "memory", "schedules"]) {
      await show(viewer, `${engine}/${view}`);
      await viewer.getByText("This view needs the role operator.").waitFor();
    }
    await show(viewer, engine);
    await viewer.getByRole("link", { name: "Overview" }).waitFor();
    for (const tab of ["Playground", "Turns", "Memory", "Schedules"])
      t.equal(await viewer.getByRole("link", { name: tab, exact: true }).count(), 0, tab);
    await viewer.context().close();
    const operator = await signedInAs("operator");
    await show(operator, `${engine}/playground?task=trip`);
    await operator.locator(".answer").getByText("done").waitFor();
    await show(operator, `${engine}/memory`);
    await operator.getByRole("row").filter({ hasText: "name is Anna" }).waitFor();
    await operator.getByRole("button", { name: "Export" }).waitFor();
    t.equal(await operator.getByRole("button", { name: "Erase" }).count(), 0);
    await operator.context().close();
  });

  await t.test("exports the memory, and erases it when the user is typed", async (t) => {
    await show(page, `${engine}/memory`);
    const saved = page.waitForEvent("download");
    await page.getByRole("button", { name: "Export" }).click();
    const lines = readFileSync(await (await saved).path(), "utf8")
      .trimEnd()
      .split("\n");
    t.match(JSON.parse(lines.at(-1) ?? ""), { type: "end" });
    await page.getByRole("button", { name: "Erase" }).click();
    const confirm = page.getByRole("dialog").getByRole("button", { name: "Erase" });
    t.ok(await confirm.isDisabled());
    await page.getByLabel("Confirmation").fill("anna");
    await confirm.click();
    await page.locator(".notice span", { hasText: "The memory is erased." }).waitFor();
    t.same((await anna.call("/turns")).body.items, []);
  });

  t.notMatch(fleet.daemon.output(), /MaxListenersExceededWarning/);
  t.same(browser.offences, [], "no other origin, no error, no violation of the policy");
});
