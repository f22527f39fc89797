import t from "tap";
import { freePort } from "../helpers/daemon.ts";
import { openFleet } from "../helpers/sleepers.ts";
import { until } from "../helpers/until.ts";
import { openBrowser, seriousFindings, show, signIn, usableByAll, withChromium } from "./browser.ts";

t.test("plans in a browser", withChromium, async (t) => {
  const fleet = await openFleet(t, { env: { ORCH_PORT: String(await freePort()) } });
  const { id } = await fleet.provision("alice");
  const browser = await openBrowser(t, fleet.daemon.url);
  const page = await browser.open("");
  await signIn(page, fleet.daemon.adminKey);
  const button = (name: string | RegExp) => page.getByRole("button", { name, exact: typeof name === "string" });
  const box = (name: string) => page.getByRole("textbox", { name });
  const planNamed = async (name: string) => (await fleet.daemon.admin(`/products/sleepy/plans/${name}`)).body;
  const notice = (text: string) => page.locator(".notice").filter({ hasText: text }).waitFor();
  const plans = "/products/sleepy/plans";

  await t.test("one is created by the keyboard alone, with fields and budgets", async (t) => {
    await show(page, plans);
    await page.getByText("This product has no plan.").waitFor();
    await button("New plan").focus();
    await page.keyboard.press("Enter");
    await page.locator("dialog input:focus").waitFor();
    await page.keyboard.type("Free");
    await page.keyboard.press("Enter");
    await page.getByText("expected 1 to 63 of a-z").waitFor();
    await page.getByLabel("Name").fill("free");
    await page.getByLabel("Name").press("Enter");
    await page.getByText("There is no such plan yet.").waitFor();
    for (const field of ["Memory", "Allowed tools", "Budgets"]) {
      await page.getByLabel("Another field").selectOption({ label: field });
      await button("Set it").focus();
      await page.keyboard.press("Enter");
    }
    t.equal(await box("Memory").inputValue(), "1024", "it begins with the product's value");
    await box("Memory").fill("1");
    await button("Create plan").click();
    await page.getByText("expected a whole number from 64 to 1048576").waitFor();
    await box("Memory").fill("256");
    await box("Allowed tools").fill("read file");
    await page.getByLabel("Tokens a month").fill("200000");
    await page.keyboard.press("Enter");
    await notice("The plan free is created.");
    t.match(await planNamed("free"), {
      policy: {
        memory_mb: 256,
        allowed_tools: ["read", "file"],
        budgets: { engine: { tokens_per_month: 200_000 } },
      },
    });
    t.same(await seriousFindings(page, "light"), []);
  });

  await t.test("a refusal is shown at its field, and a field that is removed is left to the policy", async (t) => {
    await box("Allowed tools").fill("read.file");
    await button("Save plan").click();
    await page.getByText("expected a tool name").waitFor();
    await button("Remove Allowed tools").click();
    await button("Save plan").click();
    await notice("The plan free is changed.");
    t.same(Object.keys((await planNamed("free")).policy).toSorted(), ["budgets", "memory_mb"]);
  });

  await t.test("the engine's page changes its plan, and says where each value comes from", async (t) => {
    await fleet.daemon.admin("/products/sleepy/plans/pro", { method: "PUT", body: { policy: { memory_mb: 512 } } });
    await show(page, `/engines/${id}/policy`);
    const row = (field: string) =>
      page.getByRole("region", { name: "What holds" }).getByRole("row").filter({ hasText: field });
    await row("Sleep after").getByText("the policy").waitFor();
    await row("Disk").getByText("default", { exact: true }).waitFor();
    await page.getByLabel("Plan", { exact: true }).selectOption("free");
    await button("Change plan").click();
    await row("Memory").getByRole("link", { name: "plan free" }).waitFor();
    await row("Budgets").getByText("tokens a month: 200,000").waitFor();
    t.match(await fleet.platform("GET", "/engines/alice"), { body: { plan: "free" } });
    await page.getByLabel("Another field").selectOption({ label: "Disk" });
    await button("Set it").click();
    await box("Disk").fill("4096");
    await button("Save").click();
    await row("Disk").getByText("this engine", { exact: true }).waitFor();
    await row("Disk").getByText("4,096 MiB").waitFor();
    await fleet.platform("PATCH", "/engines/alice", { plan: "pro" });
    await row("Memory").getByText("512 MiB").waitFor();
    await fleet.platform("PATCH", "/engines/alice", { plan: "free" });
    t.same(await seriousFindings(page, "light"), []);
  });

  await t.test("the plan lists its users; it is not deleted while they have it, but replaced", async () => {
    await show(page, `${plans}/free`);
    await page.getByRole("region", { name: "Users with this plan" }).getByRole("link", { name: "alice" }).waitFor();
    await show(page, plans);
    await button("Delete free").click();
    await button("Delete plan").click();
    await page.getByText("1 engine has the plan free.").waitFor();
    await page.getByLabel("Give them").selectOption("pro");
    await button("Delete plan, give pro").click();
    await notice("The plan free is deleted.");
    await until(
      "alice has the other one",
      async () => (await fleet.platform("GET", "/engines/alice")).body.plan === "pro",
    );
    await until(
      "one is left",
      async () => (await page.getByRole("region", { name: "Plans" }).locator("tbody tr").count()) === 1,
    );
  });

  await t.test("they fit each width, and are read in the dark", async (t) => {
    for (const path of [plans, `${plans}/pro`, `/engines/${id}/policy`]) {
      await show(page, path);
      await page.locator("main:not(:has([aria-busy='true']))").waitFor();
      await usableByAll(t, page, path);
    }
  });

  await t.test("a viewer reads them and changes nothing", async (t) => {
    const { body } = await fleet.daemon.admin("/console/links", { method: "POST", body: { role: "viewer" } });
    const reader = await browser.open(`#link=${body.link}`);
    await reader.getByText("Role: viewer").waitFor();
    await show(reader, `/engines/${id}/policy`);
    await reader.getByText("The engine has the plan pro.").waitFor();
    await show(reader, `${plans}/pro`);
    await reader.getByRole("textbox", { name: "Memory" }).waitFor();
    t.ok(await reader.getByRole("textbox", { name: "Memory" }).isDisabled());
    t.equal(await reader.getByRole("button", { name: /Save|Remove|Set it/ }).count(), 0);
    await reader.context().close();
  });
  t.same(browser.offences, []);
});
