import type { Test } from "tap";
import type { Answer } from "../helpers/api.ts";
import type { Daemon } from "../helpers/daemon.ts";
import { startEmbeddingsServer } from "../helpers/embeddings-server.ts";
import { findsPassage, storeDocument } from "../helpers/product-documents.ts";
import { until } from "../helpers/until.ts";

/** An engine of the user ann, and the daemon of its product `demo`. */
interface Place {
  readonly daemon: () => Daemon;
  readonly key: string;
  readonly engine: { readonly url: string; readonly key: string };
  readonly platform: (method: string, path: string, body?: object) => Promise<Answer>;
}

const KEY = "sk-of-the-embeddings-endpoint-0123456789";
/** In fewer passages nothing is usual that one could stand out from. */
const OTHERS = ["trains", "bread", "rivers", "shoes", "clocks", "winter", "glass", "paper", "coffee"];
const WITHIN_MS = 60_000;

/** A question without a word of the document finds it, by the vectors that the daemon made. */
export async function findsByMeaning(t: Test, { daemon, key, engine, platform }: Place): Promise<void> {
  const server = await startEmbeddingsServer(t);
  const endpoint = {
    ENGINE_EMBEDDINGS_URL: server.url("documents"),
    ENGINE_EMBEDDINGS_MODEL: "small",
    ENGINE_EMBEDDINGS_KEY: KEY,
  };
  const useEnv = async (engine_env: object) => {
    const { status, text } = await daemon().admin("/products/demo/policy", { method: "PUT", body: { engine_env } });
    if (status !== 200) throw new Error(text);
    await platform("POST", "/engines/ann/stop", {});
    const started = await platform("POST", "/engines/ann/start", {});
    if (started.status !== 200) throw new Error(started.text);
  };
  await useEnv(endpoint);
  await storeDocument(daemon(), key, "sloop.md", "# Sloop\n\nThe yellow sloop is rented by the hour.");
  for (const what of OTHERS) await storeDocument(daemon(), key, `${what}.md`, `# ${what}\n\nAll about ${what}.`);
  const status = async () => (await platform("GET", "/knowledge")).body.embeddings;
  const isMade = async () => (await status()).waiting === 0 && (await status()).embedded > OTHERS.length;
  await until("each passage has a vector", isMade, WITHIN_MS);
  t.equal(await findsPassage(engine, "Segelboot", /yellow sloop/, WITHIN_MS), "sloop.md:3");
  const calls = server.calls("documents");
  t.ok(
    calls.some(({ texts }) => texts.includes("Segelboot")),
    "the engine's question was embedded",
  );
  t.ok(
    calls.every(({ authorization }) => authorization === `Bearer ${KEY}`),
    "each call had the key",
  );
  await useEnv(Object.fromEntries(Object.keys(endpoint).map((name) => [name, null])));
}
