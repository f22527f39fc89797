import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import t from "tap";
import { fixture } from "../engine/mcp/tool-server-bench.ts";
import { freshFolder } from "../helpers/folder.ts";
import { openLoginFleet, pushServers, resultsOf } from "../helpers/tool-logins.ts";
import { openBrowser, seriousFindings, show, signIn, usableByAll, withChromium } from "./browser.ts";

const checkout = resolve(import.meta.dirname, "../..");

t.test("tool servers that need a person, in a browser", withChromium, async (t) => {
  const folder = freshFolder(t, "tools");
  const file = join(folder, "tools.json");
  const offer = (description: string) =>
    writeFileSync(
      file,
      JSON.stringify([
        ["change", {}],
        ["pay", { description }],
      ]),
    );
  offer("Pays");
  const fleet = await openLoginFleet(t, { env: { ORCH_TOOL_READ_PATHS: `${checkout}:${folder}` } });
  await pushServers(fleet, {
    bank: { ...fixture("changes", file), permissions: { "*": "allow" } },
    guarded: { url: fleet.tools.url, login: "oauth", permissions: { "*": "allow" } },
  });
  const anna = await fleet.provision("anna");
  const run = async (task: string, tool: string) => (await anna.execute(task, `/tool ${tool} {}\n/say done`)).all();
  const browser = await openBrowser(t, fleet.daemon.url);
  const page = await browser.open("");
  await signIn(page, fleet.daemon.adminKey);
  const server = (name: string) => page.getByRole("region", { name, exact: true });
  const status = (name: string, text: string) => server(name).locator("header").getByText(text, { exact: true });

  await t.test("the link of a login leads a user to be signed in, and the page shows it by itself", async (t) => {
    await show(page, `/engines/${anna.id}/tool-servers`);
    await status("guarded", "needs login").waitFor();
    await server("guarded").getByRole("button", { name: "Make a login link" }).press("Enter");
    const link = (await server("guarded").locator(".command code").textContent()) ?? "";
    t.ok(link.startsWith(`${fleet.publicUrl}/oauth/start?login=`), link);
    await usableByAll(t, page, "the link");
    const users = await page.context().browser()?.newPage();
    if (users === undefined) return t.fail("no page for the user");
    await users.goto(link);
    await users.getByRole("link", { name: "Continue" }).click();
    await users.getByLabel("Who").fill("anna@example.com");
    await users.getByRole("button", { name: "Continue" }).click();
    await users.getByText("Signed in to guarded").waitFor();
    await users.close();
    await status("guarded", "ready").waitFor();
    await server("guarded").getByRole("cell", { name: "whoami" }).waitFor();
    t.equal(await server("guarded").getByText(link).count(), 0, "the link counts once");
    await run("who", "mcp__guarded__whoami");
    return t.match(await resultsOf(anna, "who"), [{ output: "you are anna@example.com" }]);
  });

  await t.test("changed tools are refused until they are allowed", async (t) => {
    await run("first", "mcp__bank__pay");
    offer("Pays somebody else");
    await run("change", "mcp__bank__change");
    await page.getByRole("button", { name: "Read again" }).click();
    await status("bank", "held").waitFor();
    await server("bank").getByRole("row").filter({ hasText: "pay" }).getByText("held", { exact: true }).waitFor();
    t.same(await seriousFindings(page, "light"), []);
    await run("refused", "mcp__bank__pay");
    t.same(await resultsOf(anna, "refused"), [], "the model is not offered it");
    await server("bank").getByRole("button", { name: "Allow its tools" }).press("Enter");
    await page.locator(".notice").filter({ hasText: "The tools of bank are allowed." }).waitFor();
    await status("bank", "ready").waitFor();
    t.equal(await server("bank").getByRole("button", { name: "Allow its tools" }).count(), 0);
    await run("allowed", "mcp__bank__pay");
    t.match(await resultsOf(anna, "allowed"), [{ error: null }]);
  });

  await t.test("a viewer sees both states, and no button", async (t) => {
    offer("Pays a third one");
    await run("change again", "mcp__bank__change");
    const { body } = await fleet.daemon.admin("/console/links", { method: "POST", body: { role: "viewer" } });
    const viewer = await browser.open(`#link=${body.link}`);
    await viewer.getByText("Role: viewer").waitFor();
    await show(viewer, `/engines/${anna.id}/tool-servers`);
    await viewer
      .getByRole("region", { name: "bank", exact: true })
      .getByText("held", { exact: true })
      .first()
      .waitFor();
    t.equal(await viewer.getByRole("button", { name: /Allow|login link/ }).count(), 0);
    await viewer.context().close();
  });
  t.same(browser.offences, []);
});
