import { readFileSync, readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import root from "tap";
import { ask } from "../helpers/api.ts";
import { type Endpoint, answerWith, startEmbeddingsServer } from "../helpers/embeddings-server.ts";
import { openStream } from "../helpers/engine.ts";
import { findInMemory } from "../helpers/search-memory.ts";
import { openFleet } from "../helpers/sleepers.ts";
import { until } from "../helpers/until.ts";

const KEY = "sk-vectors-of-documents-0123456789";
const DIMENSIONS = 64;
/** What belongs together has a direction of its own, whatever its words are. */
const SUBJECTS = [
  /refund|money back|reimburse/i,
  /parcel|shipping|postage/i,
  /password|sign in|log on/i,
  /invoice|bill/i,
  /warranty|broken/i,
  /opening|hours/i,
];
const vectorOf = (text: string, dimensions = DIMENSIONS): readonly number[] => {
  const subject = SUBJECTS.findIndex((one) => one.test(text));
  let state = 7;
  for (const letter of text) state = (Math.imul(state, 31) + (letter.codePointAt(0) ?? 0)) | 0;
  return Array.from({ length: dimensions }, (_, at) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) | 0;
    return (at % SUBJECTS.length === subject ? 1 : 0) + (state >> 16) / 2 ** 18;
  });
};
const answersWell: Endpoint = ({ texts }, response) =>
  answerWith(
    response,
    texts.map((text) => vectorOf(text)),
  );

const server = await startEmbeddingsServer(root);
const use = (name: string, endpoint: Endpoint = answersWell) => server.set(name, endpoint);
use("host");
const fleet = await openFleet(root, {
  env: {
    ENGINE_EMBEDDINGS_URL: server.url("host"),
    ENGINE_EMBEDDINGS_MODEL: "small",
    ENGINE_EMBEDDINGS_KEY: KEY,
  },
});
const platform = (method: string, path: string, body?: unknown) =>
  ask(fleet.daemon.url, path, {
    method,
    headers: { "x-platform-key": fleet.platformKey },
    ...(body !== undefined && { body }),
  });
const put = async (path: string, text: string): Promise<void> => {
  const { status, text: answer } = await platform(
    "PUT",
    `/knowledge/documents/${encodeURIComponent(path)}`,
    Buffer.from(text),
  );
  if (status !== 200) throw new Error(answer);
};
interface Status {
  readonly model: string;
  readonly embedded: number;
  readonly waiting: number;
  readonly last_error: string | null;
}
const status = async (): Promise<Status> => (await platform("GET", "/knowledge")).body.embeddings;
const embedded = (count: number) =>
  until(`${count} passages have vectors`, async () => {
    const { embedded: made, waiting } = await status();
    return made === count && waiting === 0;
  });
const texts = (endpoint: string): readonly string[] => server.calls(endpoint).flatMap((call) => call.texts);
const files = (suffix: string): readonly string[] =>
  readdirSync(fleet.daemon.dataDir, { recursive: true, encoding: "utf8" })
    .map((name) => join(fleet.daemon.dataDir, name))
    .filter((file) => file.endsWith(suffix) && statSync(file, { throwIfNoEntry: false })?.isFile() === true);

/** The file that engines are told to search. */
function newestFile(): string {
  const madeAt = (file: string): number => JSON.parse(readFileSync(file, "utf8")).made_at;
  const [newest = ""] = files("version.json").toSorted((one, other) => madeAt(other) - madeAt(one));
  return join(dirname(newest), "knowledge-3.sqlite");
}

const REFUNDS = "# Refunds\n\nRefunds are paid within 14 days.";
const QUESTION = "When do I get my money back?";
const OTHERS = [
  "Parcels arrive on Friday.",
  "Shipping to Spain costs seven euros.",
  "Choose a new password.",
  "Accounts sign in by a link.",
  "An invoice lists all goods.",
  "Bills are sent monthly.",
  "The warranty lasts two years.",
  "Broken devices go to Porto.",
  "Opening hours are nine to five.",
];

let asked = 0;
const anna = await fleet.provision("anna");
const found = async (query: string): Promise<readonly { readonly source: string }[]> => {
  const message = `/tool search_knowledge ${JSON.stringify({ query })}`;
  const body = { task_id: `ask ${asked++}`, message };
  const frames = await (await openStream(anna.url, "/execute", { headers: { "x-engine-key": anna.key }, body })).all();
  const result = frames.find(({ event }) => event === "tool_result");
  return (result?.data["output"] as { results?: { source: string }[] } | undefined)?.results ?? [];
};
const findsRefunds = () =>
  until("the engine finds it by meaning", async () => (await found(QUESTION))[0]?.source === "refunds.md:3");

root.test("a question in other words finds its answer once the passages have vectors", async (t) => {
  use("host", (_, response) => response.destroy());
  await put("refunds.md", REFUNDS);
  for (const [at, text] of OTHERS.entries()) await put(`other-${at}.md`, `# Topic ${at}\n\n${text}`);
  await until("the failure is known", async () => (await status()).last_error !== null);
  t.match(await status(), { model: "small", embedded: 0, waiting: 10, last_error: /cannot be reached/ });
  const { checks } = (await fleet.daemon.admin("/admin/doctor")).body;
  const warning = { name: "embeddings", status: "warning", message: /documents of product \S+ failed: .*reached/ };
  t.match(checks.filter(({ name }: { name: string }) => name === "embeddings").at(-1), warning);
  t.notMatch(await found(QUESTION), [{ source: "refunds.md:3" }], "words alone do not find it");
  t.equal((await found("refunds paid"))[0]?.source, "refunds.md:3", "words find what they found");
  use("host");
  await embedded(10);
  t.equal((await status()).last_error, null);
  await findsRefunds();
  t.match((await platform("POST", "/knowledge/search", { query: QUESTION })).body.results[0], { path: "refunds.md" });
  const calls = server.calls("host");
  t.ok(
    calls.some((call) => call.texts.length === 10),
    "in batches",
  );
  t.ok(calls.every(({ authorization, model }) => authorization === `Bearer ${KEY}` && model === "small"));
});

root.test("only what is new is embedded, and what is deleted leaves no vector", async (t) => {
  const before = texts("host").length;
  await put("gifts.md", "# Gifts\n\nGift cards never expire.");
  await put("news.md", "# News\n\nA shop opens in Faro.");
  await embedded(12);
  // Documents that are stored a while apart are embedded again together, where the first slice was no longer current.
  t.same(
    [...new Set(texts("host").slice(before))].filter((text) => text !== QUESTION),
    ["Gifts\nGift cards never expire.", "News\nA shop opens in Faro."],
  );
  await platform("DELETE", "/knowledge/documents/gifts.md");
  await embedded(11);
  const isThere = async () => (await found("gift cards never expire")).some(({ source }) => source.startsWith("gifts"));
  await until("the engine does not find it", async () => !(await isThere()));
  await findsRefunds();
  const file = newestFile();
  t.notOk(readFileSync(file, "latin1").includes("Gift cards"));
  using db = new DatabaseSync(file, { readOnly: true });
  t.same(
    ["passage_vectors", "passage_signs"].map((table) => ({
      ...db.prepare(`select count(*) as n from ${table}`).get(),
    })),
    [{ n: 11 }, { n: 11 }],
  );
});

root.test("the key is in no process but the broker, and in no file, log, event or answer", async (t) => {
  const { pid } = await anna.show();
  t.same(findInMemory(pid as number, [KEY]), []);
  for (const file of files("")) t.notOk(readFileSync(file, "latin1").includes(KEY), file);
  t.notMatch(fleet.daemon.output(), KEY);
  for (const path of ["/admin/doctor", "/admin/events?limit=200"])
    t.notMatch((await fleet.daemon.admin(path)).text, KEY);
});

root.test("another model embeds all again, and words find what they found meanwhile", async (t) => {
  let isOpen = false;
  use("moved", async ({ texts: sent }, response) => {
    await until("the test goes on", () => isOpen || sent.length === 1, 60_000);
    answerWith(
      response,
      sent.map((text) => vectorOf(text, 96)),
    );
  });
  const settings = { ENGINE_EMBEDDINGS_URL: server.url("moved"), ENGINE_EMBEDDINGS_MODEL: "large" };
  await fleet.setPolicy({ engine_env: settings });
  await fleet.daemon.admin(`/admin/engines/${anna.id}/restart`, { method: "POST", body: {} });
  await until("the other model is asked", () => server.calls("moved").some((call) => call.texts.length === 11));
  t.match(await status(), { model: "large", embedded: 0, waiting: 11 });
  t.notMatch(await found(QUESTION), [{ source: "refunds.md:3" }], "vectors of another model are not compared");
  t.equal((await found("refunds paid"))[0]?.source, "refunds.md:3");
  isOpen = true;
  await embedded(11);
  await findsRefunds();
});

root.test("a limit is waited for, a refused text gets none, and storing waits for neither", async (t) => {
  let refusals = 0;
  use("limited", (call, response) => {
    if (refusals++ === 0) return response.writeHead(429, { "retry-after": "2" }).end("{}");
    if (call.texts.some((text) => text.includes("unspeakable"))) return response.writeHead(400).end("{}");
    return answersWell(call, response);
  });
  await fleet.setPolicy({
    engine_env: { ENGINE_EMBEDDINGS_URL: server.url("limited"), ENGINE_EMBEDDINGS_MODEL: "third" },
  });
  const began = performance.now();
  await put("refused.md", "# Words\n\nThis is unspeakable.");
  t.ok(performance.now() - began < 5000, "the document is stored at once");
  await until("the limit is known", async () => (await status()).last_error?.includes("429") === true);
  await until("all but one have vectors", async () => (await status()).embedded === 11);
  t.match(await status(), { model: "third", waiting: 0, last_error: null });
});

root.test("a daemon that starts again embeds nothing again", async (t) => {
  const before = texts("limited").length;
  await fleet.daemon.stop("SIGKILL");
  await fleet.restart();
  t.match(await status(), { embedded: 11, waiting: 0 });
  await put("more.md", "# More\n\nThe shop in Faro opens in May.");
  await embedded(12);
  t.same(
    texts("limited")
      .slice(before)
      .filter((text) => text !== QUESTION),
    ["More\nThe shop in Faro opens in May."],
  );
});

root.test("a daemon that starts goes on where the one before it failed, with no engine running", async () => {
  use("limited", (_, response) => response.destroy());
  await put("last.md", "# Last\n\nThe shop closes in June.");
  await until("the failure is known", async () => (await status()).last_error !== null);
  await anna.post("stop");
  await anna.isIn("stopped");
  await fleet.daemon.stop("SIGKILL");
  use("limited");
  await fleet.restart();
  await embedded(13);
  await anna.isIn("stopped");
});
