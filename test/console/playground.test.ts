import t from "tap";
import { catalogArchive } from "../helpers/catalog-archive.ts";
import { freePort } from "../helpers/daemon.ts";
import { openFleet } from "../helpers/sleepers.ts";
import { until } from "../helpers/until.ts";
import { openBrowser, seriousFindings, show, signIn, withChromium } from "./browser.ts";

const SIZES = [390, 768, 1440];

t.test("the playground in a browser", withChromium, async (t) => {
  const env = { ORCH_PORT: String(await freePort()), ORCH_HEALTH_INTERVAL_S: "10" };
  const fleet = await openFleet(t, { env });
  const anna = await fleet.provision("anna");
  const body = await catalogArchive({
    "agents/brief.md": "---\nname: brief\ndescription: Short answers.\n---\nBe short.\n",
  });
  const headers = { "content-type": "application/gzip" };
  const pushed = await fleet.daemon.platform(fleet.platformKey, "/catalog", { method: "PUT", body, headers });
  t.equal(pushed.status, 200, pushed.text);
  const browser = await openBrowser(t, fleet.daemon.url);
  const page = await browser.open("", { viewport: { width: 1440, height: 900 } });
  await signIn(page, fleet.daemon.adminKey);
  const playground = `/engines/${anna.id}/playground`;
  const message = page.getByLabel("Message", { exact: true });
  const send = async (text: string) => {
    await message.fill(text);
    await message.press("Enter");
  };
  const column = (label: string) => page.getByRole("log", { name: label, exact: true });
  const answered = async (label: string, text: string) => {
    await column(label).locator(".answer").last().getByText(text, { exact: true }).waitFor();
    await page.getByRole("button", { name: "Send" }).waitFor();
  };
  const lastTurn = async (task: string) => (await anna.call(`/turns?task_id=${task}&limit=1`)).body.items[0];
  const excessWidth = () => page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");

  await t.test("sends a message to the agent, the model and the effort that the address names", async (t) => {
    await show(page, `${playground}?task=chosen`);
    const choice = page.getByRole("group", { name: "What answers" });
    await choice.getByLabel("Agent").selectOption("brief");
    await choice.getByLabel("Model").fill("another-model");
    await choice.getByLabel("Effort").selectOption("high");
    const sent = page.waitForRequest((request) => request.url().includes("/execute") && request.method() === "POST");
    await send("/say chosen");
    t.match(await (await sent).postDataJSON(), { agent: "brief", model: "another-model", effort: "high" });
    await answered("Conversation", "chosen");
    const named = new URLSearchParams(page.url().split("?")[1]);
    t.match(Object.fromEntries(named), { agent: "brief", model: "another-model", effort: "high" });
    t.equal((await lastTurn("chosen")).agent, "brief");
    await page.reload();
    await answered("Conversation", "chosen");
    t.equal(await choice.getByLabel("Agent").inputValue(), "brief");
  });

  await t.test("shows the context window and the next request beside it", async (t) => {
    const beside = page.getByRole("complementary", { name: "Context and request" });
    await beside.getByRole("img", { name: /tokens are used/ }).waitFor();
    await message.fill("What is new?");
    const code = beside.getByLabel("The request by TypeScript");
    await code.getByText('message: "What is new?"').waitFor();
    t.match(await code.textContent(), /agent: "brief",\n {2}model: "another-model",\n {2}effort: "high"/);
    await page.getByRole("button", { name: "Context and request" }).click();
    await beside.waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Context and request" }).click();
    await message.fill("");
  });

  await t.test(
    "leaves the conversation first when the window becomes narrow, and shows the rest on request",
    async (t) => {
      const beside = page.getByRole("complementary", { name: "Context and request" });
      const button = page.getByRole("button", { name: "Context and request" });
      await page.setViewportSize({ width: 768, height: 900 });
      await beside.waitFor({ state: "detached" });
      t.equal(await button.getAttribute("aria-pressed"), "false");
      await button.click();
      await beside.getByRole("heading", { name: "Context window" }).waitFor();
      const top = async (selector: string) => (await page.locator(selector).boundingBox())?.y ?? Number.NaN;
      t.ok((await top(".chat")) < (await top(".beside")), "below the conversation");
      await until("it is in view", async () => (await top(".beside")) < 900);
      await page.setViewportSize({ width: 1440, height: 900 });
      await beside.waitFor();
      t.equal(await top(".chat"), await top(".talk"));
    },
  );

  await t.test("marks its entry of the navigation, and says at an edge that a row goes on", async (t) => {
    const marked = page.getByRole("navigation", { name: "Views" }).locator("[aria-current]");
    t.same(await marked.allTextContents(), ["Playground"]);
    const tabs = page.getByRole("navigation", { name: "Tabs" });
    t.equal(await tabs.getAttribute("data-hidden"), null, "all of them fit");
    await page.setViewportSize({ width: 390, height: 900 });
    await until("both ends are hidden", async () => (await tabs.getAttribute("data-hidden")) === "start end");
    t.match(await page.evaluate("getComputedStyle(document.querySelector('.tabs')).maskImage"), /^linear-gradient/);
    await tabs.evaluate((row) => (row.scrollLeft = row.scrollWidth));
    await until("one end is hidden", async () => (await tabs.getAttribute("data-hidden")) === "start");
    await page.setViewportSize({ width: 1440, height: 900 });
    await until("all fit again", async () => (await tabs.getAttribute("data-hidden")) === null);
  });

  await t.test("rewinds a conversation, and files after it has shown which", async (t) => {
    await show(page, `${playground}?task=files`);
    await send('/tool write_file {"path":"kept.txt","content":"first"}');
    await page.getByRole("button", { name: "Allow once" }).click();
    await page.getByRole("button", { name: "Send" }).waitFor();
    await send('/tool write_file {"path":"kept.txt","content":"second"}\n/say changed');
    await page.getByRole("button", { name: "Allow once" }).click();
    await answered("Conversation", "changed");
    const content = async () => (await anna.call("/files/content?path=kept.txt")).text;
    t.equal(await content(), "second");
    await column("Conversation").locator(".exchange").last().getByRole("button", { name: "Rewind" }).click();
    const dialog = page.getByRole("dialog", { name: "Rewind to before this message" });
    await dialog.getByRole("listitem").filter({ hasText: "kept.txt gets its earlier content" }).waitFor();
    t.same(await seriousFindings(page, "light"), []);
    t.equal(await content(), "second", "a dry run changes nothing");
    await dialog.getByRole("button", { name: "Rewind and restore files" }).click();
    await until("one exchange is left", async () => (await page.locator(".exchange").count()) === 1);
    t.equal(await content(), "first");
    await until("the message may be sent again", async () => (await message.inputValue()).includes("second"));
    await column("Conversation").locator(".exchange").last().getByRole("button", { name: "Rewind" }).click();
    await dialog.getByRole("listitem").filter({ hasText: "kept.txt is removed" }).waitFor();
    await dialog.getByLabel("Restore the files").uncheck();
    await dialog.getByRole("button", { name: "Rewind", exact: true }).click();
    await page.getByText("Nothing was said yet.").waitFor();
    t.equal(await content(), "first", "files stay when nobody asks for them");
  });

  await t.test("interrupts an answer, and the same turn goes on with the message", async (t) => {
    await show(page, `${playground}?task=cut`);
    await message.fill("");
    await send("/stream 2000 20\n/say never said");
    await page.getByText("word3", { exact: false }).first().waitFor();
    await message.fill("/say said at once");
    await message.press("Control+Enter");
    await answered("Conversation", "said at once");
    t.equal(await page.locator(".exchange").count(), 1);
    t.equal(await page.getByText("never said", { exact: true }).count(), 0);
  });

  await t.test("compares two answers to one message, and goes on with one", async (t) => {
    await show(page, `${playground}?task=compared`);
    await send("/say before");
    await answered("Conversation", "before");
    await page.getByRole("button", { name: "Compare" }).click();
    await answered("Conversation B", "before");
    await page.getByRole("group", { name: "What answers at B" }).getByLabel("Agent").selectOption("brief");
    await send("/say both");
    await answered("Conversation A", "both");
    await answered("Conversation B", "both");
    const second = new URLSearchParams(page.url().split("?")[1]).get("compare") ?? "";
    t.equal((await lastTurn("compared")).agent, "default");
    t.equal((await lastTurn(second)).agent, "brief");
    for (const [colorScheme, width] of SIZES.flatMap((size) => [["light", size] as const, ["dark", size] as const])) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 900 });
      t.ok((await excessWidth()) <= 0, `fits ${width} pixels`);
      t.same(await seriousFindings(page, colorScheme), [], `${width} in ${colorScheme}`);
    }
    await page.emulateMedia({ colorScheme: null });
    await page.getByRole("link", { name: "Go on with B" }).click();
    await answered("Conversation", "both");
    await page.getByText("forked from").waitFor();
  });

  t.same(browser.offences, [], "no other origin, no error, no violation of the policy");
});
