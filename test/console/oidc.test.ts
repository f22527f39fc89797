import t from "tap";
import { freePort } from "../helpers/daemon.ts";
import { startIdp } from "../helpers/identity-provider.ts";
import { openFleet } from "../helpers/sleepers.ts";
import { openBrowser, seriousFindings, show, withChromium } from "./browser.ts";

t.test("a person signs in with the identity provider, and out of it", withChromium, async (t) => {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const people = {
    "u-vera": { name: "Vera Example", groups: ["support"] },
    "u-olga": { name: "Olga Example", groups: ["on-call"] },
    "u-ned": { name: "Ned", groups: ["staff"] },
  };
  const idp = await startIdp(t, { consoleUrl: `${url}/console/`, people });
  const fleet = await openFleet(t, { env: { ORCH_PORT: String(port), ...idp.env(url) } });
  const made = await fleet.platform("POST", "/engines/provision", { user_id: "anna", start: false });
  t.equal(made.status, 201, made.text);
  const browser = await openBrowser(t, url);
  const host = new URL(idp.issuer).host;

  const page = await browser.open("#/products/sleepy");
  const enter = page.getByRole("link", { name: `Sign in with ${host}` });
  await enter.waitFor();
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    t.same(await seriousFindings(page, colorScheme), [], `the sign-in page in ${colorScheme}`);
  }
  const logIn = async (who: string) => {
    await page.getByLabel("Who").fill(who);
    await page.getByRole("button", { name: "Continue" }).click();
  };

  await t.test("an account without a role is told so", async () => {
    await enter.click();
    await logIn("u-ned");
    await page.getByText("Your account is in no group that may use this console.").waitFor();
    t.equal(new URL(page.url()).hash, "", "the reason is not left in the address");
    // The provider remembers who is signed in there.
    await page.context().clearCookies();
  });

  await t.test("a viewer comes back to the view that was opened, and is offered no change", async (t) => {
    await page.goto(`${url}/console/#/products/sleepy`);
    await enter.click();
    await logIn("u-vera");
    await page.getByRole("heading", { level: 1, name: "sleepy" }).waitFor();
    await page.getByText("Vera Example").waitFor();
    await page.getByText("Role: viewer").waitFor();
    t.equal(new URL(page.url()).hash, "#/products/sleepy");
    t.ok(await page.getByLabel("Memory").isDisabled());
    await show(page, "/");
    await page.getByRole("row").filter({ hasText: "anna" }).waitFor();
    t.equal(await page.getByRole("button", { name: "Drain host" }).count(), 0);
    t.equal(await page.getByRole("link", { name: "Playground" }).count(), 0);
    await show(page, "/playground");
    await page.getByText("This view needs the role operator.").waitFor();
    await show(page, "/sessions");
    await page.getByRole("row").filter({ hasText: "Vera Example" }).getByText("identity provider").waitFor();
    await page.reload();
    await page.getByText("Role: viewer").waitFor();
  });

  await t.test("signing out ends the provider's session too", async (t) => {
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.waitForURL(`${idp.issuer}/session/end**`);
    await page.getByRole("button", { name: /Yes, sign me out/ }).click();
    await page.waitForURL(`${url}/console/`);
    await enter.waitFor();
    t.equal((await fleet.daemon.admin("/admin/sessions")).body.data.length, 0);
    await enter.click();
    await logIn("u-olga");
    await page.getByText("Role: operator").waitFor();
    await page.getByRole("link", { name: "anna" }).first().click();
    await page.getByRole("button", { name: "Start" }).waitFor();
    t.equal(await page.getByRole("button", { name: "Destroy" }).count(), 0);
  });

  await t.test("a provider that is down is named, and a link still signs in", async () => {
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("button", { name: /Yes, sign me out/ }).click();
    await enter.waitFor();
    await idp.stop();
    await fleet.daemon.stop();
    await fleet.restart();
    await page.reload();
    await enter.click();
    await page.getByText("The identity provider does not answer.").waitFor();
    const { body } = await fleet.daemon.admin("/console/links", { method: "POST", body: {} });
    await page.goto("about:blank");
    await page.goto(`${url}/console/#link=${body.link}`);
    await page.getByText("Role: admin").waitFor();
  });

  const elsewhere = browser.offences.filter((offence) => !offence.startsWith(`request to ${idp.issuer}/`));
  t.same(elsewhere, [], "no further origin, no error, no violation of the policy");
});
