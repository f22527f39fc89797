import type { Page } from "playwright-core";
import t from "tap";
import { freePort } from "../helpers/daemon.ts";
import { openFleet } from "../helpers/sleepers.ts";
import { openBrowser, signIn, withChromium } from "./browser.ts";

const TABS = 8;

t.test("more tabs than a browser has connections", withChromium, async (t) => {
  const fleet = await openFleet(t, { env: { ORCH_PORT: String(await freePort()) } });
  const { url, adminKey } = fleet.daemon;
  const browser = await openBrowser(t, url);
  const first = await browser.open("");
  await signIn(first, adminKey);
  const tabs: Page[] = [first];
  while (tabs.length < TABS) {
    const tab = await first.context().newPage();
    await tab.goto(`${url}/console/`);
    tabs.push(tab);
  }
  const provision = async (user: string) => {
    const made = await fleet.platform("POST", "/engines/provision", { user_id: user, start: false });
    t.equal(made.status, 201, made.text);
  };
  const all = (check: (tab: Page) => Promise<unknown>) => Promise.all(tabs.map(check));
  const shows = (user: string) => all((tab) => tab.getByRole("row").filter({ hasText: user }).waitFor());

  await all((tab) => tab.getByText("Live", { exact: true }).waitFor());
  await provision("anna");
  await shows("anna");
  await all(async (tab) => {
    await tab.getByRole("link", { name: "Events" }).click();
    await tab.getByRole("heading", { level: 1, name: "Events" }).waitFor();
  });
  await tabs.shift()?.close();
  await provision("bert");
  await all((tab) => tab.getByText("bert").first().waitFor());
  await fleet.daemon.stop();
  await all((tab) => tab.getByText("Reconnecting", { exact: true }).waitFor());
  await tabs.shift()?.close();
  await fleet.restart();
  await all((tab) => tab.getByText("Live", { exact: true }).waitFor());
  await provision("carl");
  await all((tab) => tab.getByText("carl").first().waitFor());
  await tabs[0]?.getByRole("button", { name: "Sign out" }).click();
  await all((tab) => tab.getByLabel("Admin key").waitFor());
  t.same(browser.offences, []);
});
