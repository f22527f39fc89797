import t from "tap";
import { freePort } from "../helpers/daemon.ts";
import { openFleet } from "../helpers/sleepers.ts";
import { until } from "../helpers/until.ts";
import { chatText } from "../engine/model/two-providers.ts";
import { startUpstream } from "../engine/model/upstream.ts";
import { atEachWidth, openBrowser, seriousFindings, show, signIn, withChromium } from "./browser.ts";

const CAUGHT = "https://elsewhere.example/caught";
const ANSWER = `# The way to Rome

Two ways lead there, a **fast** one and a *slow* one:

1. by [train](https://example.com/train), with \`ticket.pdf\`
2. by plane
   - from Munich
   - from Vienna

| way | hours |
| --- | ---: |
| train | 14 |

\`\`\`sh
curl -s https://example.com/train?from=MUC&to=FCO
\`\`\`

> Rome was not built in a day.

<img src="${CAUGHT}/html" onerror="alert(1)">
<script>alert(1)</script> <iframe src="${CAUGHT}/frame"></iframe>

![tracker](${CAUGHT}/image) [script](javascript:alert(1)) [data](data:text/html,<script>alert(1)</script>)
[hidden][ref] <javascript:alert(1)> &lt;b&gt;

[ref]: JaVaScRiPt:alert(1)

The end.`;
/** Within the bold word of the second paragraph. */
const CUT = ANSWER.indexOf("st** one");

t.test("answers in Markdown, in a browser", withChromium, async (t) => {
  const { promise: isRest, resolve: sendRest } = Promise.withResolvers<void>();
  const [begin = "", ...end] = chatText(ANSWER.slice(0, CUT));
  const upstream = await startUpstream(
    t,
    async (response) => {
      response.writeHead(200, { "content-type": "text/event-stream" }).write(begin);
      await isRest;
      // As small as tokens.
      for (const part of ANSWER.slice(CUT).match(/[^]{1,6}/g) ?? []) response.write(chatText(part)[0]);
      response.end(end.join(""));
    },
    (response) => response.writeHead(200, { "content-type": "text/event-stream" }).end(chatText("a title").join("")),
  );
  const env = {
    ORCH_PORT: String(await freePort()),
    LLM_PROVIDER: "openai-compatible",
    LLM_MODEL: "local",
    LLM_API_KEY: "sk-of-the-test",
    LLM_BASE_URL: upstream.url,
  };
  const fleet = await openFleet(t, { env });
  const anna = await fleet.provision("anna");
  const browser = await openBrowser(t, fleet.daemon.url);
  const page = await browser.open("");
  await signIn(page, fleet.daemon.adminKey);
  const answer = page.locator(".answer");
  const isHarmless = async () => {
    t.equal(await page.locator("main :is(img, iframe, script)").count(), 0, "HTML is text, and images are links");
    const links = await answer.getByRole("link").evaluateAll((all) => all.map((link) => String(link)));
    t.same(links, ["https://example.com/train", `${CAUGHT}/image`]);
    for (const rel of await answer.getByRole("link").evaluateAll((all) => all.map(({ rel }) => rel)))
      t.equal(rel, "noopener noreferrer");
  };

  await t.test("shows an answer as it is written, and leaves what is complete in its place", async (t) => {
    await show(page, `/engines/${anna.id}/playground?task=rome`);
    await page.getByLabel("Message", { exact: true }).fill("How do I get to Rome?");
    await page.keyboard.press("Enter");
    await answer.locator("strong").getByText("fa", { exact: true }).waitFor();
    const heading = await answer.getByRole("heading", { name: "The way to Rome" }).elementHandle();
    sendRest();
    await answer.getByText("The end.").waitFor();
    await page.getByRole("button", { name: "Send" }).waitFor();
    t.ok(await heading?.evaluate(({ isConnected }) => isConnected), "the heading was not drawn again");
    t.same(await answer.getByRole("listitem").count(), 4);
    t.same(await answer.getByRole("cell").allTextContents(), ["train", "14"]);
    t.equal(await answer.locator("pre").textContent(), "curl -s https://example.com/train?from=MUC&to=FCO");
    await answer.getByText("<script>alert(1)</script>").first().waitFor();
    await answer.getByText("<b>", { exact: false }).first().waitFor();
    await isHarmless();
  });

  await t.test("shows it alike in the transcript, also without the script that reads Markdown", async (t) => {
    const path = `/engines/${anna.id}/conversations/rome`;
    await show(page, path);
    await answer.getByRole("heading", { name: "The way to Rome" }).waitFor();
    await isHarmless();
    await page.route("**/assets/elements-*.js", (route) => route.abort());
    await page.reload();
    await answer.getByText("# The way to Rome").waitFor();
    t.equal(await answer.getByRole("heading").count(), 0);
    t.equal(await page.locator("main :is(img, iframe, script, .answer a)").count(), 0);
    await page.unrouteAll({ behavior: "wait" });
    await page.reload();
    await answer.getByRole("heading", { name: "The way to Rome" }).waitFor();
  });

  await t.test("fits each width, and has no serious finding", async (t) => {
    for (const path of [`conversations/rome`, `playground?task=rome`]) {
      await show(page, `/engines/${anna.id}/${path}`);
      await answer.getByText("The end.").waitFor();
      await atEachWidth(page, async (colorScheme, width) => {
        const name = `${path} at ${width} in ${colorScheme}`;
        const excess = () => page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");
        await until(`${name} fits`, async () => (await excess()) <= 0);
        t.same(await seriousFindings(page, colorScheme), [], name);
      });
    }
  });

  t.same(
    browser.offences.filter((offence) => !offence.includes("ERR_FAILED")),
    [],
    "no other origin, no error, no violation of the policy",
  );
});
