import { openStream } from "./engine.ts";
import type { Daemon } from "./daemon.ts";
import { until } from "./until.ts";

/** Stores a document of a product's knowledge. */
export async function storeDocument(daemon: Daemon, key: string, path: string, text: string): Promise<void> {
  const options = { method: "PUT", body: Buffer.from(text) };
  await until("the document is stored", async () => {
    const stored = await daemon.platform(key, `/knowledge/documents/${encodeURIComponent(path)}`, options);
    // After a start or a takeover.
    if (stored.status === 503) return false;
    if (stored.status !== 200) throw new Error(stored.text);
    return true;
  });
}

let asked = 0;

/** Waits until an engine's tool finds a passage that says it. Returns the source. */
export function findsPassage(
  { url, key }: { readonly url: string; readonly key: string },
  query: string,
  says: RegExp,
  withinMs?: number,
): Promise<string> {
  const search = async (): Promise<string | null> => {
    const message = `/tool search_knowledge ${JSON.stringify({ query })}`;
    const body = { task_id: `knowledge ${asked++}`, message };
    const frames = await (await openStream(url, "/execute", { headers: { "x-engine-key": key }, body })).all();
    const output = frames.find(({ event }) => event === "tool_result")?.data["output"] as
      | { readonly results?: readonly { readonly source: string; readonly text: string }[] }
      | undefined;
    return output?.results?.find(({ text }) => says.test(text))?.source ?? null;
  };
  return until(`the engine finds ${says}`, search, withinMs);
}
