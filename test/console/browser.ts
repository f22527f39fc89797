import { accessSync, constants, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, join } from "node:path";
import { type Browser, type BrowserContextOptions, type Page, chromium } from "playwright-core";
import type { Test } from "tap";

const NAMES = ["chromium", "chromium-browser", "google-chrome"];

const program = (process.env["PATH"] ?? "")
  .split(delimiter)
  .flatMap((folder) => NAMES.map((name) => join(folder, name)))
  .find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });

/** As an option of a test: it is skipped, and says why, on a machine that has no Chromium. */
export const withChromium = { skip: program === undefined ? "Chromium is not installed" : false };

/** Run in the page, where the test has no types. */
const VIOLATIONS = `document.addEventListener("securitypolicyviolation", (event) =>
  console.error("content security policy: " + event.violatedDirective + " " + event.blockedURI))`;
const findings = (rules: readonly string[] | null) => `axe.run(document, {
  resultTypes: ["violations"], ${rules === null ? "" : `runOnly: ${JSON.stringify(rules)}`} }).then(({ violations }) => violations
  .filter(({ impact }) => impact === "serious" || impact === "critical")
  .map(({ id, nodes }) => id + ": " + nodes.map((node) => node.target.join(" ") + " " + node.failureSummary).join("; ")))`;

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

export const launchChromium = (): Promise<Browser> =>
  chromium.launch({
    executablePath: program ?? "",
    args: [
      // A process for graphics that no test looks at takes a fifth of the CPU time.
      "--disable-gpu",
      "--in-process-gpu",
      // The sandbox of Chromium needs another user than root.
      ...(process.getuid?.() === 0 ? ["--no-sandbox"] : []),
    ],
  });

export interface ConsoleBrowser {
  /** A page of a browser of its own: it has no cookie. */
  open(path: string, options?: BrowserContextOptions): Promise<Page>;
  /** What no page may do: requests elsewhere, errors of scripts, violations of the content security policy. */
  readonly offences: readonly string[];
}

/** One browser for a file. `url` is the daemon's. */
export async function openBrowser(t: Test, url: string): Promise<ConsoleBrowser> {
  const browser = await launchChromium();
  t.teardown(() => browser.close());
  const offences: string[] = [];
  return {
    offences,
    async open(path, options = {}) {
      const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
      await context.addInitScript(VIOLATIONS);
      const page = await context.newPage();
      page.on("pageerror", (error) => offences.push(`error: ${error.stack ?? error.message}`));
      page.on("dialog", (dialog) => offences.push(`dialog: ${dialog.message()}`));
      page.on("request", (request) => {
        if (new URL(request.url()).origin !== url) offences.push(`request to ${request.url()}`);
      });
      page.on("console", (message) => {
        // A refused call and a daemon that restarts are part of the tests.
        if (message.type() === "error" && !/Failed to load resource/.test(message.text()))
          offences.push(message.text());
      });
      await page.goto(`${url}/console/${path}`);
      return page;
    },
  };
}

/** Types the admin key, as a person does. */
export async function signIn(page: Page, adminKey: string): Promise<void> {
  await page.getByLabel("Admin key").fill(adminKey);
  await page.keyboard.press("Enter");
  await page.getByRole("navigation", { name: "Views" }).waitFor();
}

/** Shows a view, as its link does, until its script is loaded. */
export async function show(page: Page, path: string): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(path)}`);
  await page.locator("main:has(h1):not(:has(.opening))").waitFor();
}

/** Looks at the page at each width in both colour schemes. Afterwards it is as before. */
export async function atEachWidth(
  page: Page,
  look: (colorScheme: "light" | "dark", width: number) => Promise<void>,
): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    for (const width of [1440, 768, 390]) {
      await page.setViewportSize({ width, height: 900 });
      await look(colorScheme, width);
    }
  }
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.emulateMedia({ colorScheme: null });
}

/** The rules that depend on colours. */
const COLOUR_RULES = ["color-contrast", "link-in-text-block"];

/** What axe finds that keeps people from using the page: in light by all rules, in dark by those on colours. */
export async function seriousFindings(page: Page, colorScheme: "light" | "dark"): Promise<readonly string[]> {
  // Views are shown in one document.
  if (await page.evaluate<boolean>("!('axe' in window)")) await page.evaluate(axe);
  return page.evaluate<readonly string[]>(findings(colorScheme === "light" ? null : COLOUR_RULES));
}

/** Run in the page: which controls the Tab key passed, and whether the focus was seen on each. */
const BEGIN_TABS = `(() => {
  window.tabs = { passed: new Set(), unseen: [], last: null };
  document.body.tabIndex = -1;
  document.body.focus();
  document.body.removeAttribute("tabindex");
})()`;
const NOTE_TAB = `(() => {
  const { tabs, document: { activeElement: at } } = window;
  const isOver = at === document.body || (tabs.passed.has(at) && at !== tabs.last);
  // A field of a date has several stops.
  if (!isOver && at !== tabs.last && getComputedStyle(at).outlineStyle === "none") tabs.unseen.push(at.outerHTML.slice(0, 120));
  tabs.passed.add((tabs.last = at));
  return isOver;
})()`;
const END_TABS = `(() => {
  const controls = [...document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex='0']")];
  const isControl = (one) => !one.disabled && one.tabIndex >= 0 && one.checkVisibility({ visibilityProperty: true });
  const missed = controls.filter((one) => isControl(one) && !window.tabs.passed.has(one));
  return [...missed.map((one) => "not reached: " + one.outerHTML.slice(0, 120)), ...window.tabs.unseen.map((one) => "focus is not seen: " + one)];
})()`;
const MAX_TABS = 400;

/** The controls that the Tab key does not reach, or on which the focus is not seen. */
export async function keyboardFindings(page: Page): Promise<readonly string[]> {
  await page.evaluate(BEGIN_TABS);
  for (let presses = 0; presses < MAX_TABS; presses++) {
    await page.keyboard.press("Tab");
    if (await page.evaluate<boolean>(NOTE_TAB)) break;
  }
  return page.evaluate<readonly string[]>(END_TABS);
}

/** Everybody can use what is shown, at each width and in both colour schemes, and by the keyboard alone. */
export async function usableByAll(t: Test, page: Page, name: string): Promise<void> {
  await atEachWidth(page, async (colorScheme, width) => {
    t.same(await seriousFindings(page, colorScheme), [], `${name} in ${colorScheme} at ${width}`);
    t.ok(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), `${name} fits ${width}`);
    // Colours move no control.
    if (colorScheme === "light") t.same(await keyboardFindings(page), [], `${name} by the keyboard at ${width}`);
  });
}
