import t from "tap";
import { freePort } from "../helpers/daemon.ts";
import { openFleet } from "../helpers/sleepers.ts";
import { openBrowser, signIn, withChromium } from "./browser.ts";

t.test("a person signs in to the console by the admin key or by a link, and signs out", withChromium, async (t) => {
  const fleet = await openFleet(t, { env: { ORCH_PORT: String(await freePort()) } });
  const { url, adminKey } = fleet.daemon;
  const made = await fleet.platform("POST", "/engines/provision", { user_id: "anna", start: false });
  t.equal(made.status, 201, made.text);
  const browser = await openBrowser(t, url);
  const page = await browser.open("");
  await page.getByLabel("Admin key").fill("not-the-admin-key");
  await page.keyboard.press("Enter");
  await page.getByText("This is not the admin key of this daemon.").waitFor();
  await signIn(page, adminKey);
  await page.getByRole("row").filter({ hasText: "anna" }).waitFor();
  const stored = await page.evaluate<string>("JSON.stringify([localStorage, sessionStorage, document.cookie])");
  t.notOk(stored.includes(adminKey) || stored.includes("orchs_"), "scripts see neither the key nor the cookie");
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByLabel("Admin key").waitFor();
  const { body } = await fleet.daemon.admin("/console/links", { method: "POST", body: { role: "viewer" } });
  const guest = await browser.open(`#link=${body.link}`);
  await guest.getByText("Role: viewer").waitFor();
  t.equal(await guest.getByRole("button", { name: "Drain host" }).count(), 0);
  t.notOk(guest.url().includes(body.link), "the link is not left in the address");
  t.same(browser.offences, [], "no other origin, no error, no violation of the policy");
});
