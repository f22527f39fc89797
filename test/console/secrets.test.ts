import t from "tap";
import { freePort } from "../helpers/daemon.ts";
import { openFleet } from "../helpers/sleepers.ts";
import { openBrowser, seriousFindings, show, signIn, withChromium } from "./browser.ts";

const VALUE = "a value that is shown nowhere";

t.test("the secrets of a product and a user in a browser", withChromium, async (t) => {
  const fleet = await openFleet(t, { env: { ORCH_PORT: String(await freePort()) } });
  const { id } = await fleet.provision("alice");
  const browser = await openBrowser(t, fleet.daemon.url);
  const page = await browser.open("");
  await signIn(page, fleet.daemon.adminKey);
  const button = (name: string) => page.getByRole("button", { name, exact: true });

  for (const [view, path] of [
    ["/products/sleepy/secrets", "/products/sleepy/secrets"],
    [`/engines/${id}/secrets`, "/engines/alice/secrets"],
  ] as const)
    await t.test(`sets one at ${path}, shows it without its value, and deletes it`, async (t) => {
      const stored = async () =>
        path.startsWith("/products") ? (await fleet.daemon.admin(path)).body : (await fleet.platform("GET", path)).body;
      await show(page, view);
      await page.getByText("There are no secrets.").waitFor();
      await button("Set a secret").click();
      await page.getByLabel("Name").fill("GITHUB");
      await page.getByLabel("Value").fill(VALUE);
      t.equal(await page.getByLabel("Value").getAttribute("type"), "password");
      await page.getByLabel("Hosts").fill("api.github.com, github.com");
      t.same(await seriousFindings(page, "light"), []);
      await button("Set secret").click();
      await page.getByRole("cell", { name: "api.github.com, github.com" }).waitFor();
      t.match(await stored(), { secrets: [{ name: "GITHUB", hosts: ["api.github.com", "github.com"] }] });
      t.notMatch(await page.content(), VALUE);
      await page.getByRole("region", { name: "Secrets" }).getByRole("button", { name: "Delete" }).click();
      await button("Delete secret").click();
      await page.getByText("There are no secrets.").waitFor();
      t.same((await stored()).secrets, []);
    });
  t.same(browser.offences, []);
});
