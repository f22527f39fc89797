import t from "tap";
import { freePort } from "../helpers/daemon.ts";
import { openFleet } from "../helpers/sleepers.ts";
import { until } from "../helpers/until.ts";
import { atEachWidth, openBrowser, seriousFindings, show, signIn, withChromium } from "./browser.ts";

/** Whether the placeholder would fit as a value: a browser cuts it without a trace. */
const SHOWS_PLACEHOLDER = `(() => {
  const field = document.querySelector("[data-search]");
  const filled = field.cloneNode();
  filled.value = field.placeholder;
  Object.assign(filled.style, { position: "absolute", width: field.offsetWidth + "px" });
  field.after(filled);
  const isWhole = filled.scrollWidth <= filled.clientWidth;
  filled.remove();
  return isWhole;
})()`;
const FILLS_PAGE = `document.querySelector("article").clientWidth + 2 >= document.querySelector("[role=search]").clientWidth`;

t.test("what waits for a person, in a browser", withChromium, async (t) => {
  const fleet = await openFleet(t, { env: { ORCH_PORT: String(await freePort()) } });
  const [anna, bert] = await Promise.all([fleet.provision("anna"), fleet.provision("bert")]);
  const browser = await openBrowser(t, fleet.daemon.url);
  const page = await browser.open("");
  const card = (words: string) => page.getByRole("article").filter({ hasText: words });
  const entry = page.getByRole("navigation", { name: "Views" }).getByRole("link", { name: /^Waiting/ });
  const isCounted = (count: string) =>
    until(`${count} are counted`, async () => (await entry.textContent())?.replace("Waiting", "").trim() === count);
  await signIn(page, fleet.daemon.adminKey);

  await t.test("says that nothing waits, and counts what asks meanwhile", async (t) => {
    await page.keyboard.press("g");
    await page.keyboard.press("w");
    await page.getByText("No turn waits for a person.").waitFor();
    await isCounted("");
    const hostile = "Shall <img src=x onerror=alert(1)> it be? | yes | no";
    await anna.execute("talk", `/say Before that.\n/ask ${hostile}\n/say Thank you for that`);
    const stream = await bert.execute("files", '/tool write_file {"path":"a.txt","content":"all of it"}\n/say Written');
    await isCounted("2");
    stream.cut();
    await card("Shall <img").waitFor();
    t.equal(await page.locator("main img").count(), 0);
  });

  await t.test("shows what a permission is for, and what the turn did before", async () => {
    const asked = card("May the agent use write_file");
    await asked.locator(".permitted").getByText("all of it").waitFor();
    await asked.getByRole("button", { name: "allow once" }).waitFor();
    const talk = card("Shall <img");
    await talk.getByText("What the turn did before").click();
    await talk.getByText("Before that.", { exact: true }).waitFor();
    await talk.getByRole("link", { name: "Open the turn" }).waitFor();
  });

  await t.test("the fleet says that they wait, also where somebody looks on and where they sleep", async (t) => {
    await show(page, "/");
    const row = (user: string) => page.getByRole("row").filter({ hasText: user });
    await row("anna").getByText("waits for a person").waitFor();
    await row("bert").getByText("waits for a person").waitFor();
    const waits = await anna.call("/hitl/pending");
    t.equal(waits.body.requests.length, 1);
  });

  await t.test("everybody can use it, at each width and in the dark too", async (t) => {
    await show(page, "/waiting");
    await card("Shall <img").waitFor();
    (await anna.execute("name", "/ask What is its name?")).cut();
    const free = card("What is its name?");
    await free.getByLabel("Your answer").waitFor();
    await atEachWidth(page, async (colorScheme, width) => {
      t.same(await seriousFindings(page, colorScheme), [], `${colorScheme}, ${width}`);
      t.ok(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), `fits ${width}`);
      t.ok(await page.evaluate(SHOWS_PLACEHOLDER), `the search says at ${width} what it finds`);
      t.ok(await page.evaluate(FILLS_PAGE), `a card is as wide as the page of ${width}`);
    });
    await free.getByLabel("Your answer").fill("Rex");
    await page.keyboard.press("Enter");
    await free.waitFor({ state: "detached" });
  });

  await t.test("a search is in the address, and a question is answered by the keyboard alone", async (t) => {
    await page.keyboard.press("/");
    await page.keyboard.type("anna");
    await until("one is left", async () => (await page.getByRole("article").count()) === 1);
    t.match(page.url(), /q=anna/);
    const label = () => page.evaluate<string>("document.activeElement.textContent");
    for (let presses = 0; presses < 30 && (await label()) !== "yes"; presses++) await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.getByText("No open question fits this search.").waitFor();
    await isCounted("1");
    await until("the turn went on", async () =>
      (await anna.call("/execute/replay?task_id=talk")).text.includes("Thank you for that"),
    );
    t.equal(await page.evaluate("document.activeElement.tagName"), "H1", "the focus is not lost");
    await page.keyboard.press("/");
    await page.keyboard.press("Control+A");
    await page.keyboard.press("Delete");
  });

  await t.test("an answer wakes an engine that sleeps", async (t) => {
    await show(page, "/");
    await bert.sleep();
    await show(page, "/waiting");
    await card("May the agent").getByText("sleeping").waitFor();
    await card("May the agent").getByRole("button", { name: "allow once" }).click();
    await page.getByText("No turn waits for a person.").waitFor();
    await isCounted("");
    await until("the file is written", async () =>
      (await bert.call("/execute/replay?task_id=files")).text.includes("Written"),
    );
    t.equal((await bert.show()).state, "running");
  });

  await t.test("a viewer sees neither questions nor the way to them", async (t) => {
    const { body } = await fleet.daemon.admin("/console/links", { method: "POST", body: { role: "viewer" } });
    const reader = await browser.open(`#link=${body.link}`);
    await reader.getByText("Role: viewer").waitFor();
    t.equal(await reader.getByRole("link", { name: /^Waiting/ }).count(), 0);
    await reader.context().close();
  });

  t.same(browser.offences, []);
});
