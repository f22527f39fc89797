import t from "tap";
import { freePort } from "../helpers/daemon.ts";
import { openFleet } from "../helpers/sleepers.ts";
import { until } from "../helpers/until.ts";
import { openBrowser, show, signIn, usableByAll, withChromium } from "./browser.ts";

t.test("the profile page of a user in a browser", withChromium, async (t) => {
  const fleet = await openFleet(t, { env: { ORCH_PORT: String(await freePort()) } });
  const anna = await fleet.provision("anna");
  const browser = await openBrowser(t, fleet.daemon.url);
  const page = await browser.open("");
  await signIn(page, fleet.daemon.adminKey);
  const view = `/engines/${anna.id}/memory?list=profile`;
  const dialog = page.getByRole("dialog");
  const profile = page.getByRole("region", { name: "Profile", exact: true });
  const stored = async () => (await anna.call("/memory/profile")).body.lines;

  await t.test("says how the page comes about, and shows its lines", async (t) => {
    await show(page, view);
    await page.getByText("The profile page is empty.").waitFor();
    await (await anna.execute("about", "/say fine\nMy name is Anna. I live in Oslo.")).all();
    await anna.call("/admin/lc/trigger", {});
    await until("lines were written", async () => (await stored()).length > 1);
    await show(page, `/engines/${anna.id}/memory`);
    await page.getByRole("link", { name: "Profile" }).click();
    await profile.getByText(/Oslo/).first().waitFor();
    t.equal(await profile.getByRole("row").count(), (await stored()).length + 1);
  });

  await t.test("corrects a line by the keyboard alone, and says who wrote it", async (t) => {
    await profile.getByRole("button", { name: /^Correct: .*Oslo/ }).focus();
    await page.keyboard.press("Enter");
    const line = dialog.getByLabel("Line", { exact: true });
    await line.fill("x".repeat(201));
    await dialog.getByText("1 characters too many").waitFor();
    t.ok(await dialog.getByRole("button", { name: "Save" }).isDisabled());
    await line.fill("Lives in <b>Bergen</b>.");
    await page.keyboard.press("Enter");
    await profile.getByText("Lives in <b>Bergen</b>.").waitFor();
    await profile.getByRole("cell", { name: "a person" }).waitFor();
    t.match(
      (await stored()).find((one: { origin: string }) => one.origin === "person"),
      { text: "Lives in <b>Bergen</b>." },
    );
  });

  await t.test("everybody can use it, at each width and in the dark too", async (t) => {
    await usableByAll(t, page, "the profile");
  });

  await t.test("deletes a line after a question", async (t) => {
    const before = (await stored()).length;
    await profile.getByRole("button", { name: /^Delete: .*Bergen/ }).click();
    await dialog.getByRole("button", { name: "Delete line" }).click();
    await until("it is gone", async () => (await stored()).length === before - 1);
    t.notMatch(JSON.stringify(await stored()), /Bergen/);
  });

  t.same(browser.offences, []);
});
