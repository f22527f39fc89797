import t from "tap";
import { catalogArchive } from "../helpers/catalog-archive.ts";
import { freePort } from "../helpers/daemon.ts";
import { openFleet } from "../helpers/sleepers.ts";
import { until } from "../helpers/until.ts";
import { openBrowser, seriousFindings, show, signIn, withChromium } from "./browser.ts";

const TUTOR = "---\nname: tutor\ndescription: Explains lessons.\n---\nAsk before you tell.\n";
const PICTURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2, 3]);

t.test("the catalog of a product in a browser", withChromium, async (t) => {
  const fleet = await openFleet(t, { env: { ORCH_PORT: String(await freePort()) } });
  await fleet.provision("alice");
  const browser = await openBrowser(t, fleet.daemon.url);
  const page = await browser.open("");
  await signIn(page, fleet.daemon.adminKey);
  const view = "/products/sleepy/catalog";
  const button = (name: string | RegExp) => page.getByRole("button", { name, exact: typeof name === "string" });
  const notice = (text: string) => page.locator(".notice").filter({ hasText: text }).waitFor();
  const current = async () => (await fleet.platform("GET", "/catalog")).body;
  const pathsOf = async () => (await current()).files.map(({ path }: { path: string }) => path);
  const editor = (path: string) => page.getByRole("textbox", { name: path });

  await t.test("a first file is written, refused at its line, and pushed", async (t) => {
    await show(page, view);
    await page.getByText("No catalog was pushed for this product.").waitFor();
    await button("New file").click();
    await page.getByLabel("Path").fill("../tutor.md");
    await page.getByLabel("Path").press("Enter");
    await page.getByText("expected a path below the catalog's folder").waitFor();
    await page.getByLabel("Path").fill("agents/tutor.md");
    await page.getByLabel("Path").press("Enter");
    t.match(await editor("agents/tutor.md").inputValue(), /^---\nname: tutor\n/);
    await editor("agents/tutor.md").fill(TUTOR.replace("description", "descripton"));
    await button("Check").click();
    const fault = page.locator(".faults li").first();
    await fault.waitFor();
    t.match(await fault.textContent(), /^Line \d+ .*descri/);
    t.ok((await page.locator(".gutter .faulty").count()) > 0, "its line is marked");
    t.same(await seriousFindings(page, "light"), []);
    await fault.getByRole("button").click();
    const selected = "(({ value, selectionStart: a, selectionEnd: b }) => value.slice(a, b))(document.activeElement)";
    t.match(await page.evaluate<string>(selected), /\S/, "the line is selected");
    t.equal((await current()).version, 0);
    await editor("agents/tutor.md").fill(TUTOR);
    t.equal(await page.locator(".faults li").count(), 0);
    await button("Push").click();
    await notice("Version 1 is current. 1 of 1 running engines use it.");
    t.same(await pathsOf(), ["agents/tutor.md"]);
  });

  await t.test("other files stay as they were pushed, with their mode", async (t) => {
    const body = await catalogArchive({
      "agents/tutor.md": TUTOR,
      "core-soul.md": "Be kind.\n",
      "skills/maths/SKILL.md": "---\nname: maths\ndescription: Sums.\n---\nCount.\n",
      "skills/maths/picture.png": PICTURE,
    });
    const headers = { "content-type": "application/gzip" };
    await fleet.daemon.platform(fleet.platformKey, "/catalog", { method: "PUT", body, headers });
    const before = (await current()).files;
    await show(page, "/products");
    await show(page, view);
    await page.getByRole("button", { name: "skills/maths/picture.png" }).click();
    await page.getByText("No text, or too large to change here: 8 B.").waitFor();
    await page.getByRole("button", { name: "core-soul.md" }).click();
    t.match(page.url(), /file=core-soul\.md/, "the address names the file");
    await editor("core-soul.md").fill("Be kind.\nBe brief.\n");
    await page.getByRole("button", { name: "core-soul.md changed" }).waitFor();
    await show(page, "/events");
    await show(page, `${view}?file=core-soul.md`);
    await until("the change is still there", async () => (await editor("core-soul.md").inputValue()).includes("brief"));
    await button("1 changed file").click();
    await page.locator(".diff .added").getByText("Be brief.").waitFor();
    t.same(await seriousFindings(page, "light"), []);
    await button("Push").click();
    await notice("Version 3 is current.");
    const after = (await current()).files;
    const others = (files: readonly { path: string }[]) => files.filter(({ path }) => path !== "core-soul.md");
    t.same(others(after), others(before));
  });

  await t.test("versions are compared, with the engines that use them, and rolled back", async (t) => {
    const row = (version: string) =>
      page.getByRole("region", { name: "Versions of the catalog" }).getByRole("row").filter({ hasText: version });
    await until("the engine is counted", async () =>
      /1/.test((await row("current").locator("td").nth(4).textContent()) ?? ""),
    );
    await page.getByRole("link", { name: "Changes of version 2" }).click();
    await page.getByRole("heading", { name: "Version 1 to version 2" }).waitFor();
    await page.getByText("No text: 0 B to 8 B.").waitFor();
    await page.locator(".diff .added").getByText("Be kind.").waitFor();
    t.same(await seriousFindings(page, "light"), []);
    await page.getByRole("link", { name: "All versions" }).click();
    await page.getByRole("button", { name: "Roll back" }).last().click();
    await page.getByRole("dialog").getByRole("button", { name: "Roll back" }).click();
    await until("it is", async () => (await current()).version === 4);
  });

  await t.test("engines that start and fall asleep are counted soon, and nothing covers their number", async (t) => {
    await show(page, "/products");
    await show(page, view);
    const count = page.getByRole("row").filter({ hasText: "current" }).locator("td").nth(5);
    const isCounted = (number: string) =>
      // The list of the fleet would know it after 15 s.
      until(`${number} are counted`, async () => (await count.textContent()) === number, 10_000);
    await isCounted("1");
    const bert = await fleet.provision("bert");
    await isCounted("2");
    await bert.sleep();
    await isCounted("1");
    await page.setViewportSize({ width: 390, height: 900 });
    await count.scrollIntoViewIfNeeded();
    const box = (await count.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
    const at = `document.elementFromPoint(${box.x + box.width - 10}, ${box.y + box.height / 2}).textContent`;
    t.equal(await page.evaluate<string>(at), "1");
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  await t.test("a push of somebody else meanwhile is not overwritten", async (t) => {
    await show(page, "/products");
    await show(page, `${view}?file=settings.yaml`);
    await page.locator("main:not(:has([aria-busy='true']))").waitFor();
    await button("New file").click();
    await page.getByLabel("Path").fill("settings.yaml");
    await page.getByLabel("Path").press("Enter");
    await editor("settings.yaml").fill("catalog:\n  shipped: none\n");
    const body = await catalogArchive({ "core-soul.md": "Mine.\n" });
    const headers = { "content-type": "application/gzip" };
    await fleet.daemon.platform(fleet.platformKey, "/catalog", { method: "PUT", body, headers });
    await button("Push").click();
    await page.locator(".notice").filter({ hasText: "CATALOG_CHANGED" }).waitFor();
    t.same(await pathsOf(), ["core-soul.md"]);
    await button("Discard").click();
  });

  await t.test("it fits each width, and is read in the dark", async (t) => {
    await show(page, "/products");
    await show(page, `${view}?file=core-soul.md`);
    await editor("core-soul.md").fill(
      "One line that is longer than a phone is wide, and then some more words after it.\n",
    );
    await button("1 changed file").click();
    for (const colorScheme of ["light", "dark"] as const) {
      for (const width of [390, 768, 1440]) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height: 900 });
        t.same(await seriousFindings(page, colorScheme), [], `${colorScheme} ${width}`);
        t.ok(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), `fits ${width}`);
      }
    }
  });
  t.same(browser.offences, []);
});
