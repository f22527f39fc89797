import { readFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import root from "tap";
import { type Answer, ask } from "../helpers/api.ts";
import { startDaemon } from "../helpers/daemon.ts";
import {
  type Endpoint,
  answerWith,
  answersWell,
  startEmbeddingsServer,
  vectorOf,
} from "../helpers/embeddings-server.ts";
import { openStream } from "../helpers/engine.ts";
import { freshFolder } from "../helpers/folder.ts";
import { findInMemory } from "../helpers/search-memory.ts";
import { freshDatabaseUrl } from "../helpers/shared-postgres.ts";
import { until } from "../helpers/until.ts";

const HOST_KEY = "sk-vectors-of-the-host-0123456789";
const PRODUCT_KEY = "sk-vectors-of-the-product-0123456789";
const BOAT = "Our old sloop lies in the harbour at Vik.";
/** No word of it is in a message, and related words are off. */
const IN_GERMAN = "Wo liegt unser Segelboot?";
/** Far less than the minute after which a call of the background is given up. */
const NOT_BLOCKED_MS = 15_000;
const LIMIT_MS = 1000;

const server = await startEmbeddingsServer(root);
const dataDir = freshFolder(root);
const daemon = await startDaemon(root, {
  dataDir,
  databaseUrl: await freshDatabaseUrl(root),
  env: {
    LLM_PROVIDER: "sandbox",
    ENGINE_WORD_VECTORS: "none",
    ENGINE_EMBEDDINGS_URL: server.url("host"),
    ENGINE_EMBEDDINGS_MODEL: "small",
    ENGINE_EMBEDDINGS_KEY: HOST_KEY,
    ORCH_HEALTH_INTERVAL_S: "1",
  },
});

/** Registers a product; its engines call the endpoint of its name, or that of the host. */
async function product(slug: string, settings: Readonly<Record<string, string>> = {}) {
  const policy = { requests_per_minute: null, idle_stop_s: 0, engine_env: settings };
  const { body } = await daemon.admin("/products/register", { method: "POST", body: { slug, policy } });
  root.teardown(() => daemon.admin(`/products/${slug}?force=true`, { method: "DELETE" }));
  const platform = (path: string, sent?: object) =>
    daemon.platform(body.platform_api_key, path, { ...(sent && { method: "POST", body: sent }) });
  return { platform, provision: async (user: string) => engineOf(platform, user) };
}

async function engineOf(platform: (path: string, sent: object) => Promise<Answer>, user: string) {
  const { body: engine } = await platform("/engines/provision", { user_id: user });
  const headers = { "x-engine-key": engine.engine_api_key as string };
  const url = engine.url as string;
  let told = 0;
  return {
    pid: engine.pid as number,
    async tell(message: string): Promise<void> {
      const body = { task_id: `t${told++}`, message: `${message}\n/say Noted.` };
      const frames = await (await openStream(url, "/execute", { headers, body })).all();
      if (frames.at(-1)?.data.phase !== "completed") throw new Error(JSON.stringify(frames.at(-1)));
    },
    search: async (query: string): Promise<readonly { readonly content: string }[]> =>
      (await ask(url, "/memory/knowledge/search", { method: "POST", headers, body: { query } })).body.results,
    health: async () => (await ask(url, "/health")).body.embeddings as { waiting: number; last_error: string | null },
    call: (path: string) => ask(url, path, { headers }),
    async restart(): Promise<void> {
      const { status, text } = await daemon.admin(`/admin/engines/${engine.id}/restart`, { method: "POST", body: {} });
      if (status !== 200) throw new Error(text);
    },
  };
}
type User = Awaited<ReturnType<typeof engineOf>>;

/** Nothing is usual in fewer than eight memories. */
async function tellOfBoat(user: User): Promise<void> {
  for (let matter = 1; matter <= 8; matter++) await user.tell(`Something about matter number ${matter * 37}.`);
  await user.tell(BOAT);
}

/** The figure of waiting memories is that of the last pass. A round has its answer too, unlike the turn's own question. */
async function embedded(user: User, endpoint: string, message: string): Promise<void> {
  const isSent = ({ texts, status }: ReturnType<typeof server.calls>[number]) =>
    status === 200 && texts.some((text) => text.startsWith(message) && text.includes("\n\n"));
  await until(`${endpoint} has embedded: ${message}`, () => server.calls(endpoint).some(isSent), 90_000);
  await until("all memories have their vector", async () => (await user.health()).waiting === 0, 90_000);
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

/** Endpoints that fail, and what an engine says of each; null while its call lasts. */
const FAULTS: Readonly<Record<string, { readonly endpoint: Endpoint; readonly error: RegExp | null }>> = {
  down: { endpoint: (_, response) => response.destroy(), error: /cannot be reached/ },
  silent: { endpoint: () => undefined, error: null },
  ragged: {
    endpoint: ({ texts }, response) =>
      answerWith(
        response,
        texts.map((text, at) => vectorOf(text).slice(at)),
      ),
    error: /no vector for each text/,
  },
  few: { endpoint: (_, response) => answerWith(response, []), error: /no vector for each text/ },
  infinite: {
    endpoint: ({ texts }, response) => response.end(`{"data":[${texts.map(() => '{"embedding":[1e999,1]}').join()}]}`),
    error: /no vector for each text/,
  },
  "not-a-number": {
    endpoint: ({ texts }, response) => response.end(`{"data":[${texts.map(() => '{"embedding":[NaN,1]}').join()}]}`),
    error: /cannot be read/,
  },
  "no-such-model": {
    endpoint: (_, response) => response.writeHead(404).end(`{"error":{"message":"no model small"}}`),
    error: /answered 404: see ENGINE_EMBEDDINGS_MODEL/,
  },
};

root.test("rounds are embedded in the background, and a question worded otherwise is found", async (t) => {
  const alice = await (await product("acme")).provision("alice");
  await tellOfBoat(alice);
  t.same(await alice.search(IN_GERMAN), [], "words alone do not find it");
  await embedded(alice, "host", BOAT);
  t.match((await alice.search(IN_GERMAN))[0]?.content, /sloop/);
  const calls = server.calls("host");
  t.ok(calls.some(({ texts }) => texts.length > 1) && calls.every(({ texts }) => texts.length <= 16));
  t.ok(calls.every(({ authorization, model }) => authorization === `Bearer ${HOST_KEY}` && model === "small"));

  t.same(findInMemory(alice.pid, [HOST_KEY]), [], "the key is not in the engine's memory");
  for (const file of ["environ", "cmdline"]) t.notMatch(readFileSync(`/proc/${alice.pid}/${file}`, "latin1"), HOST_KEY);
  t.same(filesWith(dataDir, HOST_KEY), [], "nor in a file, the launch file and the logs among them");
  t.notMatch(daemon.output(), HOST_KEY);
  for (const path of ["/health", "/usage"]) t.notMatch((await alice.call(path)).text, HOST_KEY);
});

root.test("an endpoint that fails holds up neither a turn nor a search, and is asked again", async (t) => {
  const users = await Promise.all(
    Object.entries(FAULTS).map(async ([name, fault]) => {
      server.set(name, fault.endpoint);
      const settings = { ENGINE_EMBEDDINGS_URL: server.url(name), ENGINE_EMBEDDINGS_KEY: PRODUCT_KEY };
      return { name, ...fault, user: await (await product(name, settings)).provision("bob") };
    }),
  );
  await Promise.all(users.map(({ user }) => tellOfBoat(user)));
  for (const { name, user } of users) {
    t.ok((await timed(() => user.tell("One more thing."))) < NOT_BLOCKED_MS, `a turn: ${name}`);
    t.match(await user.search("Where does the sloop lie?"), [{ content: /sloop/ }], `by words: ${name}`);
  }
  await Promise.all(
    users.map(async ({ name, user, error }) => {
      const isBatch = ({ texts }: { readonly texts: readonly string[] }) => texts.length === 10;
      await until(`the background has called ${name}`, () => server.calls(name).some(isBatch), 60_000);
      const health = await until(`${name} is known`, async () => {
        const known = await user.health();
        return (error === null || known.last_error !== null) && known;
      });
      t.match(health, { waiting: 10, last_error: error }, name);
      t.ok((await timed(() => user.tell("And another."))) < NOT_BLOCKED_MS, `a turn after the failure: ${name}`);
      t.match(await user.search("Where does the sloop lie?"), [{ content: /sloop/ }], `by words, then: ${name}`);
    }),
  );
  for (const path of ["/admin/doctor", "/admin/events?limit=200"])
    t.notMatch((await daemon.admin(path)).text, PRODUCT_KEY, path);

  for (const { name } of users) server.set(name, answersWell);
  const silent = users.find(({ name }) => name === "silent");
  t.ok((await timed(async () => silent?.user.restart())) < NOT_BLOCKED_MS, "an engine in a call ends at once");
  await Promise.all(
    users.map(async ({ name, user }) => {
      await embedded(user, name, BOAT);
      // A search does not ask at once again.
      await until(`${name} finds it by meaning`, async () => (await user.search(IN_GERMAN)).length > 0, 90_000);
      t.match((await user.search(IN_GERMAN))[0]?.content, /sloop/, name);
      t.ok(server.calls(name).every(({ authorization }) => authorization === `Bearer ${PRODUCT_KEY}`));
    }),
  );
});

root.test("another model embeds everything again in the background, and searches go by words meanwhile", async (t) => {
  const settings = { ENGINE_EMBEDDINGS_URL: server.url("moving"), ENGINE_EMBEDDINGS_KEY: PRODUCT_KEY };
  const moving = await product("moving", settings);
  const carol = await moving.provision("carol");
  await tellOfBoat(carol);
  await embedded(carol, "moving", BOAT);
  let isOpen = false;
  server.set("moving", async (call, response) => {
    await until("the test goes on", () => isOpen || call.texts.length === 1, 60_000);
    // Other vectors than before, of another length.
    answerWith(
      response,
      call.texts.map((text) => vectorOf(text).slice(0, 96)),
    );
  });
  await daemon.admin("/products/moving/policy", {
    method: "PUT",
    body: { engine_env: { ...settings, ENGINE_EMBEDDINGS_MODEL: "large" } },
  });
  await carol.restart();
  await until("the other model is asked", () => batches("moving", "large").length > 0, 60_000);
  t.same(await carol.search(IN_GERMAN), [], "a vector of the model before is not compared");
  t.match(await carol.search("Where does the sloop lie?"), [{ content: /sloop/ }]);
  await carol.tell("A turn meanwhile.");
  isOpen = true;
  await until("the sloop is found by its new vector", async () => (await carol.search(IN_GERMAN)).length > 0, 60_000);
  t.match((await carol.search(IN_GERMAN))[0]?.content, /sloop/);
  t.equal(
    batches("moving", "large")
      .flat()
      .filter((text) => text.startsWith(BOAT)).length,
    1,
  );
});

root.test("engines of many users share an endpoint that limits their calls", async (t) => {
  const settings = { ENGINE_EMBEDDINGS_URL: server.url("limited"), ENGINE_EMBEDDINGS_KEY: `${PRODUCT_KEY}-limited` };
  const { provision } = await product("limited", settings);
  let answeredAt = 0;
  server.set("limited", (call, response) => {
    const now = performance.now();
    if (now - answeredAt < LIMIT_MS)
      return response.writeHead(429, { "retry-after": "1" }).end(`{"error":{"message":"too many requests"}}`);
    answeredAt = now;
    return answersWell(call, response);
  });
  const users = await Promise.all(Array.from({ length: 8 }, (_, at) => provision(`user-${at}`)));
  await Promise.all(users.map((user, at) => user.tell(`The sloop number ${at} is ours.`)));
  const slowest = await Promise.all(users.map((user) => timed(() => user.tell("A turn meanwhile."))));
  t.ok(Math.max(...slowest) < NOT_BLOCKED_MS, "no turn waits for the endpoint");
  const began = performance.now();
  await Promise.all(users.map((user, at) => embedded(user, "limited", `The sloop number ${at} is ours.`)));
  t.comment(`${Math.round(performance.now() - began)} ms`);
  const refused = server.calls("limited").filter(({ status }) => status === 429).length;
  t.ok(refused < server.calls("limited").length / 2, "the broker keeps most calls back that would be refused");
  t.comment(`${server.calls("limited").length} calls, ${refused} of them refused`);
});

/** Calls of the background. */
const batches = (endpoint: string, model: string) =>
  server.calls(endpoint).flatMap((call) => (call.model === model && call.texts.length > 1 ? [call.texts] : []));

const filesWith = (folder: string, text: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .filter((file) => statSync(file, { throwIfNoEntry: false })?.isFile() === true)
    .filter((file) => readFileSync(file, "latin1").includes(text));
