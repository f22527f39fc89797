import { join } from "node:path";
import type { Page } from "playwright-core";
import t, { type Test } from "tap";
import { launchChromium, seriousFindings, withChromium } from "../console/browser.ts";
import { ask } from "../helpers/api.ts";
import { until } from "../helpers/until.ts";
import { type Backend, root, startBackend, startProduct } from "./backends.ts";

const PROGRAM = [process.execPath, join(root, "examples/browser-chat/server.ts")] as const;
const say = async (page: Page, text: string, key = "Enter") => {
  await page.getByLabel("Message", { exact: true }).fill(text);
  await page.getByLabel("Message", { exact: true }).press(key);
};
const idle = (page: Page) => page.locator("body:not(.busy)").waitFor();
const answers = (page: Page) => page.locator("article.assistant .text").allTextContents();
const questions = (page: Page) => page.locator("article.user .text").allTextContents();

const LOCATION = { geolocation: { latitude: 48.2, longitude: 16.37, accuracy: 5 }, permissions: ["geolocation"] };

/** Pages of one user. What no page may do is in `offences`. */
async function openBrowser(t: Test, { url }: Backend, daemonUrl: string) {
  const browser = await launchChromium();
  t.teardown(() => browser.close());
  const offences: string[] = [];
  // A window of its own: a browser slows down tabs in the background.
  const open = async (path = "/?user=alice") => {
    const page = await (await browser.newContext(LOCATION)).newPage();
    page.on("pageerror", (error) => offences.push(error.stack ?? error.message));
    page.on("request", (request) => {
      // The user's engine is at another origin.
      if (request.url().startsWith(`${daemonUrl}/me/`)) return;
      if (new URL(request.url()).origin !== url) offences.push(request.url());
    });
    page.on("console", (message) => {
      // A conversation without a message is 404.
      if (message.type() === "error" && !/Failed to load resource/.test(message.text())) offences.push(message.text());
    });
    await page.goto(url + path);
    return page;
  };
  return { open, offences };
}

t.test("the browser chat", async (t) => {
  const product = await startProduct(t);
  const backend = await startBackend(t, PROGRAM, { product });

  const policy = { allowed_origins: [backend.url] };
  await product.daemon.admin("/products/shop/policy", { method: "PUT", body: policy });

  await t.test("its backend signs in and creates tokens, and nothing else", async (t) => {
    const { url } = backend;
    const cookie = { cookie: "user=alice" };
    const token = (headers: Readonly<Record<string, string>> = {}) => ask(url, "/token", { method: "POST", headers });
    t.equal((await token()).status, 401, "without a session");
    t.equal((await token({ cookie: "user=a%0Ab" })).status, 401);
    t.equal((await token({ ...cookie, "sec-fetch-site": "same-site" })).status, 403);
    t.match(await token(cookie), { status: 200, body: { token: /^orcht_/ }, headers: { "cache-control": "no-store" } });
    for (const path of ["/token", "/server.ts", "/engine/tasks", "/tasks"])
      t.equal((await ask(url, path, { headers: cookie })).status, 404, path);
    t.equal((await ask(url, "/?user=a%0Ab")).status, 400);
    const signedIn = await fetch(`${url}/?user=alice`);
    t.match(signedIn.headers.get("set-cookie"), /^user=alice; HttpOnly; SameSite=Strict/);
    t.match(signedIn.headers.get("content-security-policy"), "default-src 'none'");
  });

  await t.test("its page in a browser", withChromium, async (t) => {
    const { open, offences } = await openBrowser(t, backend, product.daemon.url);
    const page = await open();

    await t.test("shows an answer, and what the agent says as text", async (t) => {
      await say(page, "/say <b>Hello</b>\n/think Hm");
      await page.getByRole("navigation").getByRole("link", { name: "Hello" }).waitFor();
      await idle(page);
      t.same(await answers(page), ["<b>Hello</b>"]);
      t.equal(await page.locator("b").count(), 0);
    });

    await t.test("asks the user what the agent asks", async (t) => {
      await say(page, "/ask Which? | this | that\n/say Thank you");
      await page.getByRole("button", { name: "that" }).click();
      await page.getByText("Thank you", { exact: true }).waitFor();
      await idle(page);
      t.match(await page.locator(".question").textContent(), /Which\?.*that/);
    });

    await t.test("edits a message, and what came after it goes", async (t) => {
      const first = page.locator("article.user").first();
      await first.getByRole("button", { name: "Edit" }).click();
      await page.getByLabel("Your message").fill("/say Hello again");
      await page.getByRole("button", { name: "Save" }).click();
      await until("the new answer is there", async () => (await answers(page)).join() === "Hello again");
      await idle(page);
      t.same(await questions(page), ["/say Hello again"]);
    });

    await t.test("answers a message again", async (t) => {
      const again = page.getByRole("button", { name: "Answer again" });
      await again.waitFor();
      const regenerated = page.waitForRequest((request) => /"regenerate":true/.test(request.postData() ?? ""));
      await again.click();
      await regenerated;
      await until("the new answer is there", async () => (await answers(page)).join() === "Hello again");
      await idle(page);
      t.same(await questions(page), ["/say Hello again"], "the message is not said twice");
    });

    await t.test("lets the agent know where the user is, also in a message that waited", async (t) => {
      const located = page.locator(".tool").filter({ hasText: 'get_location {}: {"latitude":48.2,"longitude":16.37' });
      await say(page, "/tool get_location {}\n/say There you are");
      await page.getByText("There you are", { exact: true }).waitFor();
      await idle(page);
      t.equal(await located.count(), 1);
      await say(page, "/ask Ready? | yes");
      await page.getByRole("button", { name: "yes" }).waitFor();
      await say(page, "/tool get_location {}\n/say Still there", "Alt+Enter");
      await page.getByRole("button", { name: "yes" }).click();
      await page.getByText("Still there", { exact: true }).waitFor();
      await idle(page);
      t.equal(await located.count(), 2);
      await page.context().clearPermissions();
      await say(page, "/tool get_location {}\n/say Hidden");
      await page.getByText("Hidden", { exact: true }).waitFor();
      await page
        .locator(".tool")
        .getByText(/get_location {}: User denied/)
        .waitFor();
    });

    await t.test("shows messages that wait, and lets the user edit and remove them", async (t) => {
      const before = (await questions(page)).length;
      const waiting = page.getByRole("list", { name: "Waiting messages" });
      const row = (text: string) => waiting.getByRole("listitem").filter({ hasText: text });
      await say(page, "/ask Ready? | yes\n/say Done");
      await page.getByRole("button", { name: "yes" }).waitFor();
      await say(page, "/say Queued", "Alt+Enter");
      await row("/say Queued").getByText("queue", { exact: true }).waitFor();
      await say(page, "/say Removed", "Alt+Enter");
      await row("/say Removed").waitFor();
      await say(page, "/say Steered");
      await row("/say Steered").getByText("steer", { exact: true }).waitFor();
      await row("/say Queued").getByRole("button", { name: "Edit" }).click();
      await page.getByLabel("Waiting message", { exact: true }).fill("/say Changed");
      await page.getByRole("button", { name: "Save" }).click();
      await row("/say Changed").waitFor();
      await row("/say Removed").getByRole("button", { name: "Remove" }).click();
      await row("/say Removed").waitFor({ state: "detached" });
      await page.reload();
      await row("/say Changed").waitFor();
      await page.getByRole("button", { name: "yes" }).click();
      await until("the queued message is answered", async () => (await answers(page)).at(-1) === "Changed");
      await idle(page);
      const said = (await questions(page)).slice(before);
      t.same(said, ["/ask Ready? | yes\n/say Done", "/say Steered", "/say Changed"]);
      t.equal(await waiting.getByRole("listitem").count(), 0);
    });

    await t.test("shows a message where it entered the running turn", async (t) => {
      await say(page, "/ask Go? | yes\n/say Not said");
      await page.getByRole("button", { name: "yes" }).waitFor();
      await say(page, "/say Entered\n/fail silent");
      await page.getByRole("list", { name: "Waiting messages" }).getByText("Entered").waitFor();
      await page.getByRole("button", { name: "yes" }).click();
      await page.getByText("Entered", { exact: true }).waitFor();
      const live = page.locator("article.assistant").last();
      t.equal(await live.locator("article.user").textContent(), "/say Entered\n/fail silent");
      await page.getByRole("button", { name: "Stop" }).click();
      await idle(page);
      t.equal((await questions(page)).at(-1), "/say Entered\n/fail silent");
    });

    await t.test("shows a turn that another page started, and continues it after a reload", async (t) => {
      const other = await open(`/?user=alice${new URL(page.url()).hash}`);
      await say(page, "/say It runs\n/fail silent");
      await other.getByText("It runs", { exact: true }).waitFor();
      await page.reload();
      await page.getByText("It runs", { exact: true }).waitFor();
      await other.getByRole("button", { name: "Stop" }).click();
      for (const each of [page, other]) {
        await idle(each);
        await until("both cancelled turns are shown", async () => (await each.getByText("CANCELLED").count()) === 2);
      }
      t.same(await questions(page), await questions(other));
      await other.close();
    });

    await t.test("renames and archives conversations in a list that lives", async (t) => {
      const other = await open();
      const [list, otherList] = [page, other].map((each) => each.getByRole("navigation"));
      if (list === undefined || otherList === undefined) throw new Error("no list");
      await page.getByRole("button", { name: "New conversation" }).click();
      await say(page, "/say Second");
      await otherList.getByRole("link", { name: "/say Second" }).waitFor();
      await list.getByRole("button", { name: "Rename" }).first().click();
      await list.getByLabel("Title").fill("My <i>title</i>");
      await list.getByRole("button", { name: "Save" }).click();
      await otherList.getByRole("link", { name: "My <i>title</i>" }).waitFor();
      t.equal(await otherList.getByRole("link").count(), 2);
      await list.getByRole("button", { name: "Archive" }).first().click();
      await otherList.getByRole("link", { name: "My <i>title</i>" }).waitFor({ state: "detached" });
      await otherList.getByRole("link").click();
      await other.getByText("Hello again", { exact: true }).waitFor();
      await other.close();
    });

    await t.test("waits for an answer while the engine sleeps, and goes on", async (t) => {
      await say(page, "/ask Sleepy? | no\n/say Awake again");
      await page.getByRole("button", { name: "no", exact: true }).waitFor();
      const address = page.url();
      // A page that reads the turn keeps the engine awake.
      await page.goto("about:blank");
      await until("the engine sleeps", async () => {
        const call = { method: "POST" } as const;
        return (await product.daemon.platform(product.platformKey, "/engines/alice/sleep", call)).status === 200;
      });
      await page.goto(address);
      await page.getByRole("button", { name: "no", exact: true }).click();
      await page.getByText("Awake again", { exact: true }).waitFor();
      await idle(page);
      t.equal((await answers(page)).at(-1), "Awake again");
    });

    await t.test("has no serious findings of axe, and did nothing that it may not", async (t) => {
      // The policy of the page keeps the test's own script out of it, unless the browser's tools bring it in.
      t.same(await seriousFindings(page, "light"), []);
      t.same(offences, []);
      t.equal(await page.locator("#problem").textContent(), "");
    });
  });
});
