import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { Webhook } from "standardwebhooks";
import t from "tap";
import { freePort } from "../helpers/daemon.ts";
import { openFleet } from "../helpers/sleepers.ts";
import { until } from "../helpers/until.ts";
import { atEachWidth, openBrowser, seriousFindings, show, signIn, withChromium } from "./browser.ts";

t.test("the notifications of a product in a browser", withChromium, async (t) => {
  const fleet = await openFleet(t, { env: { ORCH_PORT: String(await freePort()) } });
  let status = 204;
  const messages: { readonly body: string; readonly headers: Record<string, string> }[] = [];
  let failures = 0;
  const service = createServer(async (request, response) => {
    messages.push({ body: await text(request), headers: request.headers as Record<string, string> });
    // The second attempt waits until the first failure was seen, because the third would come minutes later.
    if (status === 500 && failures++ > 0) await until("the failure was seen", () => status !== 500);
    response.writeHead(status).end();
  }).listen(0, "127.0.0.1");
  await once(service, "listening");
  t.teardown(() => (service.closeAllConnections(), service.close()));
  const host = `127.0.0.1:${(service.address() as AddressInfo).port}`;
  await fleet.setPolicy({ private_hosts: [host] });
  const browser = await openBrowser(t, fleet.daemon.url);
  const page = await browser.open("");
  await signIn(page, fleet.daemon.adminKey);
  const view = "/products/sleepy/notifications";
  const notice = (words: string) => page.locator(".notice").filter({ hasText: words }).waitFor();
  const button = (name: string) => page.getByRole("button", { name, exact: true });
  const endpoints = page.getByRole("region", { name: "Endpoints" });
  const sent = page.getByRole("region", { name: "Messages" });
  const url = `http://${host}/hooks/<img src=x onerror=alert(1)>`;

  await t.test("says how to create an endpoint, and shows one with its state", async (t) => {
    await show(page, view);
    await page.getByText("No service of this product is told of events.").waitFor();
    const made = await fleet.platform("POST", "/notifications/endpoints", { url, events: ["engine.gave_up"] });
    t.equal(made.status, 201, made.text);
    await endpoints.getByText("on", { exact: true }).waitFor();
    t.equal(await page.locator("main img").count(), 0);
    await endpoints.getByRole("link").focus();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 2 }).waitFor();
    await page.getByText("There is no such message.").waitFor();
  });

  await t.test("sends a test, and shows that it was accepted", async () => {
    await button("Send a test").click();
    await notice("A test is on its way.");
    await sent.getByRole("cell", { name: "accepted" }).waitFor();
  });

  await t.test("shows since when an endpoint fails and why, and replays what was given up", async (t) => {
    status = 500;
    await button("Send a test").click();
    await endpoints.getByText(/^failing for /).waitFor();
    await sent.getByRole("cell", { name: "status 500" }).waitFor();
    status = 410;
    const isPaused = endpoints.getByText("paused", { exact: true });
    await isPaused.waitFor();
    await page.getByText("it answered 410 Gone").waitFor();
    t.equal(await sent.getByRole("cell", { name: "waiting" }).count(), 1);
    status = 204;
    await button("Resume").click();
    await endpoints.getByText(/^failing for /).waitFor();
    await button("Accepted").click();
    await until("only what was accepted is shown", async () => (await sent.getByRole("row").count()) === 2);
    const before = messages.length;
    await sent.getByRole("button", { name: "Replay" }).click();
    await notice("The message is sent again.");
    await until("it came again", () => messages.length > before);
    t.equal(messages.at(-1)?.headers["webhook-id"], messages[0]?.headers["webhook-id"]);
    await endpoints.getByText("on", { exact: true }).waitFor();
    await button("All").click();
  });

  await t.test("pauses an endpoint and resumes it", async (t) => {
    await button("Pause").click();
    await endpoints.getByText("paused", { exact: true }).waitFor();
    t.match((await fleet.platform("GET", "/notifications/endpoints")).body, { endpoints: [{ enabled: false }] });
    await button("Resume").click();
    await endpoints.getByText("on", { exact: true }).waitFor();
  });

  await t.test("shows a new secret once, which signs messages", async (t) => {
    await button("Rotate secret").click();
    await page.getByLabel("Messages are signed with the current one too").fill("0");
    await page.getByRole("dialog").getByRole("button", { name: "Rotate secret" }).click();
    const secret = (await page.locator("[data-secret]").textContent()) ?? "";
    await page.getByRole("button", { name: "I have stored it" }).click();
    t.notOk((await page.content()).includes(secret));
    const before = messages.length;
    await button("Send a test").click();
    await until("it came", () => messages.length > before);
    const { body, headers } = messages.at(-1) ?? { body: "", headers: {} };
    t.doesNotThrow(() => new Webhook(secret).verify(body, headers));
  });

  await t.test("everybody can use it, at each width and in the dark too", async (t) => {
    await atEachWidth(page, async (colorScheme, width) => {
      t.same(await seriousFindings(page, colorScheme), [], `${colorScheme}, ${width}`);
      t.ok(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), `fits ${width}`);
    });
  });

  await t.test("shows a viewer no button that changes something", async (t) => {
    const { body } = await fleet.daemon.admin("/console/links", { method: "POST", body: { role: "viewer" } });
    const reader = await browser.open(`#link=${body.link}`);
    await reader.getByText("Role: viewer").waitFor();
    await show(reader, view);
    await reader.getByRole("region", { name: "Endpoints" }).getByRole("link").click();
    await reader.getByRole("region", { name: "Messages" }).waitFor();
    for (const name of ["Send a test", "Pause", "Replay", "Rotate secret", "Delete endpoint"])
      t.equal(await reader.getByRole("button", { name }).count(), 0, name);
    await reader.context().close();
  });

  await t.test("deletes an endpoint after a question", async (t) => {
    await button("Delete endpoint").click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete endpoint" }).click();
    await page.getByText("No service of this product is told of events.").waitFor();
    t.same((await fleet.platform("GET", "/notifications/endpoints")).body.endpoints, []);
  });

  t.same(browser.offences, []);
});
