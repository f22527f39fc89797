import t, { type Test } from "tap";
import { until } from "../helpers/until.ts";
import { BACKENDS, startBackend, startProduct, withoutPython } from "./backends.ts";
import { FakeDocument, type FakeElement } from "./fake-document.ts";

interface PageModule {
  readonly startPage: (options: { document: FakeDocument; user: string; fetch: typeof fetch }) => void;
}
const pageFile = "../../examples/chat-page/page.js";
const { startPage } = (await import(pageFile)) as PageModule;

const IDS = ["conversation", "form", "message", "send", "cancel"];

/** A person in front of the page. `fetch` is the browser's: it resolves paths against the page's own address. */
function openPage(url: string, user: string, fetchPage: typeof fetch = fetch) {
  const document = new FakeDocument(IDS);
  startPage({ document, user, fetch: (path, init) => fetchPage(new URL(String(path), url), init) });
  const [conversation, form, message, , cancel] = IDS.map((id) => document.getElementById(id)) as FakeElement[];
  if (!conversation || !form || !message || !cancel) throw new Error("the page has no such element");
  return {
    conversation,
    say(text: string) {
      message.value = text;
      form.dispatch("submit");
    },
    cancel: () => cancel.dispatch("click"),
    shows: (kind: string, text: string | RegExp) =>
      until(`the page shows ${text}`, () =>
        conversation.children.find(
          ({ className, text: shown }) =>
            className === kind && (typeof text === "string" ? shown === text : text.test(shown)),
        ),
      ),
    isIdle: () => until("the turn is over", () => !message.disabled),
  };
}

async function converses(t: Test, url: string, user: string) {
  const page = openPage(url, user);
  page.say("What can you do?");
  await page.shows("user", "What can you do?");
  await page.shows("thinking", /The user says/);
  await page.shows("tool", /^list_files/);
  const question = await page.shows("question", /short or detailed/);
  t.same(
    question.children.map(({ text }) => text),
    ["short", "detailed"],
  );
  question.children[1]?.dispatch("click");
  await page.shows("text", /A real model would now do the work/);
  await page.isIdle();
  t.notOk(page.conversation.children.includes(question), "an answered question goes away");

  page.say('/tool write_file {"path": "a.txt", "content": "x"}');
  const prompt = await page.shows("question", /May the agent use write_file on a\.txt/);
  prompt.children.find(({ text }) => text === "deny")?.dispatch("click");
  await page.shows("error", /^write_file: /);
  await page.isIdle();

  page.say("/say <b>not markup</b>");
  await page.shows("text", "<b>not markup</b>");
  await page.isIdle();

  page.say("/fail provider");
  await page.shows("error", /^LLM_PROVIDER_ERROR/);
  await page.isIdle();

  page.say("/say It runs.\n/fail silent");
  // A cancel before the turn reaches the engine ends nothing.
  await page.shows("text", "It runs.");
  page.cancel();
  await page.shows("error", /^CANCELLED/);
  await page.isIdle();
}

/** A connection that breaks in the middle of the first stream; `resumed` gets each address that is asked after it. */
function breaking(resumed: string[]): typeof fetch {
  let isFirst = true;
  return async (input, init) => {
    if (!isFirst) resumed.push(new URL(String(input)).pathname);
    const response = await fetch(input, init);
    if (!isFirst || response.body === null) return response;
    isFirst = false;
    const reader = response.body.getReader();
    const broken = new ReadableStream({
      async pull(controller) {
        const { value } = await reader.read();
        if (value !== undefined) controller.enqueue(value);
        if (value === undefined || Buffer.from(value).includes("text_delta")) {
          await reader.cancel();
          controller.error(new TypeError("network error"));
        }
      },
    });
    return new Response(broken, { headers: response.headers });
  };
}

t.test("the browser chat, with a stand-in for the document", async (t) => {
  const product = await startProduct(t);
  for (const name of ["typescript", "python"] as const) {
    await t.test(`behind the backend in ${name}`, { skip: name === "python" && withoutPython() }, async (t) => {
      const { url } = await startBackend(t, BACKENDS[name], { product });
      await t.test("it holds a conversation", (t) => converses(t, url, `${name}-alice`));
      await t.test("a question whose answer is lost stays", async (t) => {
        let isLost = true;
        const page = openPage(url, `${name}-dora`, async (input, init) => {
          if (isLost && String(input).endsWith("/api/answers")) {
            isLost = false;
            throw new TypeError("network error");
          }
          return fetch(input, init);
        });
        page.say("/ask Which? | this | that");
        const question = await page.shows("question", "Which?");
        question.children[0]?.dispatch("click");
        await page.shows("error", "network error");
        t.ok(page.conversation.children.includes(question));
        question.children[0]?.dispatch("click");
        await page.isIdle();
        t.notOk(page.conversation.children.includes(question));
      });
      await t.test("it continues a turn after the connection broke", async (t) => {
        const resumed: string[] = [];
        const page = openPage(url, `${name}-bob`, breaking(resumed));
        page.say("/stream 200 400");
        await page.isIdle();
        t.same(
          page.conversation.children.filter(({ className }) => className === "error"),
          [],
        );
        t.same(resumed, ["/api/turns"]);
        const [shown] = page.conversation.children.filter(({ className }) => className === "text");
        const other = openPage(url, `${name}-carol`);
        other.say("/stream 200 400");
        await other.isIdle();
        const [whole] = other.conversation.children.filter(({ className }) => className === "text");
        t.equal(shown?.text, whole?.text, "nothing is missing and nothing comes twice");
      });
    });
  }
});

// What the test does not cover: layout, style and the parsing of index.html. No browser is among the dependencies.
t.test("the page in a real browser", { skip: "no browser is among the dependencies" }, () => undefined);
