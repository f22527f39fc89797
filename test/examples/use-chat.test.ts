import { join } from "node:path";
import type { Page } from "playwright-core";
import t, { type Test } from "tap";
import { launchChromium, seriousFindings, withChromium } from "../console/browser.ts";
import { until } from "../helpers/until.ts";
import { type Backend, root, startBackend, startProduct } from "./backends.ts";

t.setTimeout(120_000);

const PROGRAM = [process.execPath, join(root, "examples/use-chat/server.ts")] as const;
const LOCATION = { geolocation: { latitude: 48.2, longitude: 16.37, accuracy: 5 }, permissions: ["geolocation"] };

const say = async (page: Page, text: string) => {
  await page.getByLabel("Message", { exact: true }).fill(text);
  await page.getByRole("button", { name: "Send" }).click();
};
const idle = (page: Page) => page.locator("[role=log][aria-busy=false]").waitFor();
const answers = (page: Page) => page.locator("article.assistant .text").allTextContents();
const questions = (page: Page) => page.locator("article.user .text").allTextContents();

/** A page of one user. What no page may do is in `offences`. */
async function openPage(t: Test, { url }: Backend, daemonUrl: string) {
  const browser = await launchChromium();
  t.teardown(() => browser.close());
  const offences: string[] = [];
  const page = await (await browser.newContext(LOCATION)).newPage();
  page.on("pageerror", (error) => offences.push(error.stack ?? error.message));
  page.on("request", (request) => {
    const isOfEngine = [`${daemonUrl}/me/`, `${daemonUrl}/e/`].some((start) => request.url().startsWith(start));
    if (!isOfEngine && new URL(request.url()).origin !== url) offences.push(request.url());
  });
  page.on("console", (message) => {
    if (message.type() === "error" && !/favicon|404/.test(message.text()))
      offences.push(`${message.text()} ${message.location().url}`);
  });
  await page.goto(`${url}/?user=alice`);
  return { page, offences };
}

t.test("the page with useChat, at another origin than the engine", withChromium, async (t) => {
  const product = await startProduct(t);
  const backend = await startBackend(t, PROGRAM, { product });
  const policy = { allowed_origins: [backend.url] };
  await product.daemon.admin("/products/shop/policy", { method: "PUT", body: policy });
  const { page, offences } = await openPage(t, backend, product.daemon.url);

  await t.test("streams reasoning and text", async (t) => {
    await say(page, "/think Hm\n/say <b>Hello</b>");
    await page.getByText("<b>Hello</b>", { exact: true }).waitFor();
    await idle(page);
    t.same(await answers(page), ["<b>Hello</b>"]);
    t.equal(await page.locator(".reasoning").textContent(), "Hm");
  });

  await t.test("shows tools, and asks before they write", async (t) => {
    await say(page, '/tool write_file {"path":"a.txt","content":"x"}\n/tool read_file {"path":"none"}\n/say Written');
    await page.getByText("May the agent use write_file on a.txt?").waitFor();
    await page.getByRole("button", { name: "Allow", exact: true }).click();
    await page.getByText("Written", { exact: true }).waitFor();
    await idle(page);
    t.match(
      (await page.locator(".tool").allTextContents()).join("\n"),
      /write_file.*"bytes":1[^]*read_file.*none cannot be read/,
    );
  });

  await t.test("asks what the agent asks", async () => {
    await say(page, "/ask Which? | this | that\n/say Thank you");
    await page.getByRole("button", { name: "that" }).click();
    await page.getByText("Thank you", { exact: true }).waitFor();
    await page.getByText("Which? that").waitFor();
    await idle(page);
  });

  await t.test("runs its own tool for the agent", async () => {
    await say(page, "/tool get_location {}\n/say There you are");
    await page.getByText("There you are", { exact: true }).waitFor();
    await page.getByText('output-available: {"latitude":48.2,"longitude":16.37}').waitFor();
    await idle(page);
  });

  await t.test("shows the rest of an answer after a reload, and what was said", async (t) => {
    await say(page, "/say It runs\n/ask Go on? | yes\n/say The end");
    await page.getByRole("button", { name: "yes" }).waitFor();
    await page.reload();
    await page.getByRole("button", { name: "yes" }).click();
    await page.getByText("The end", { exact: true }).waitFor();
    await idle(page);
    t.equal((await questions(page)).length, 5);
    t.same((await answers(page)).slice(-2), ["It runs", "The end"]);
    await say(page, "/say Silent now\n/fail silent");
    await page.getByText("Silent now", { exact: true }).waitFor();
    await page.reload();
    await page.getByText("Silent now", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByText("CANCELLED").waitFor();
    await idle(page);
  });

  await t.test("edits a message, and what came after it goes", async (t) => {
    await page.locator("article.user").nth(1).getByRole("button", { name: "Edit" }).click();
    await page.getByLabel("Your message").fill("/say Edited");
    await page
      .locator("form", { has: page.getByLabel("Your message") })
      .getByRole("button")
      .click();
    await until("the new answer is there", async () => (await answers(page)).at(-1) === "Edited");
    await idle(page);
    t.equal((await questions(page)).length, 2);
    await page.getByRole("button", { name: "Answer again" }).click();
    await until("it was answered again", async () => (await answers(page)).at(-1) === "Edited");
    await idle(page);
    await page.reload();
    await until("the conversation is that", async () => (await answers(page)).join() === "<b>Hello</b>,Edited");
  });

  t.same(await seriousFindings(page, "light"), []);
  t.same(offences, []);
});
