import { inBackground } from "../../shared/background.ts";
import { delay } from "../../shared/clock.ts";
import type { CalledEndpoint, EmbedOutcome } from "../fleet/knowledge-storage.ts";
import type { EngineHost } from "../host-context.ts";
import type { EmbeddingWork } from "../status/knowledge-embeddings.ts";
import { productsWithKnowledge } from "../store/knowledge.ts";
import { knowledgeEndpoint } from "./knowledge-endpoint.ts";
import { prepareKnowledge } from "./prepare-knowledge.ts";
import { rollOutKnowledge } from "./reload-knowledge.ts";

/** Documents that are stored one after the other are embedded together. */
const QUIET_MS = 2000;
/** How long calls are made before engines get what they made. It grows with the work: each file is copied and sent. */
const SLICE_MS = { least: 30_000, most: 240_000 } as const;

/** Documents of products without a running engine. Engines that run ask at each probe. */
const INTERVAL_MS = 600_000;

/** Makes what an earlier daemon left, and what another endpoint or model needs, until the daemon stops. */
export async function keepEmbedding(host: EngineHost): Promise<void> {
  do {
    const products = await productsWithKnowledge(host.db).catch((error: unknown) => {
      host.logger.warn({ err: error }, "failed to read which products have documents");
      return [];
    });
    for (const id of products) embedKnowledge(host, id);
  } while (await delay(INTERVAL_MS, host.stopping));
}

/** Makes vectors of what has none in a product's documents, in the background. Called often: it costs nothing when all is done. */
export function embedKnowledge(host: EngineHost, productId: string): void {
  const work = host.embeddings.of(productId);
  if (work.isRunning) {
    work.isDue = true;
    return;
  }
  if (!work.pauses.isOver(performance.now()) || host.stopping.aborted) return;
  work.isRunning = true;
  const running = embedAll(host, productId, work)
    .catch((error: unknown) => failed(host, productId, work, { error }))
    .finally(() => (work.isRunning = false));
  inBackground("vectors of knowledge", running, { product_id: productId });
}

async function embedAll(host: EngineHost, productId: string, work: EmbeddingWork): Promise<void> {
  do {
    work.isDue = false;
    while (await embedNext(host, productId, work));
  } while (work.isDue && work.pauses.isOver(performance.now()) && !host.stopping.aborted);
}

/** False when nothing is left to do now. */
async function embedNext(host: EngineHost, productId: string, work: EmbeddingWork): Promise<boolean> {
  const { directory, backend, embeddings, stopping } = host;
  const product = await directory.named(productId);
  if (product === null) {
    embeddings.forget(productId);
    return false;
  }
  const { digest } = product.knowledge;
  const known = digest === null ? null : (backend.knowledge.known(productId, digest)?.name ?? null);
  if (work.settled?.product === product && work.settled.file === known) return false;
  const endpoint = knowledgeEndpoint(host, product);
  if (endpoint === null || digest === null) return settle(work, { product, file: known });
  if (work.digest !== digest) {
    work.digest = digest;
    return delay(QUIET_MS, stopping);
  }
  const file = await prepareKnowledge(host, productId, product.knowledge);
  if (file === null) return false;
  if (file.model === endpoint.model && file.waiting === 0) return settle(work, { product, file: file.name });
  const outcome = await embedSlice(host, work, { productId, digest, endpoint });
  if (outcome.made > 0) rollOutKnowledge(host, productId);
  if (outcome.error !== null) {
    failed(host, productId, work, { error: outcome.error, atLeastMs: outcome.retryAfterMs ?? 0 });
    return false;
  }
  work.pauses.succeeded();
  work.error = null;
  // The file has as many vectors as it may have.
  return outcome.made > 0 || settle(work, { product, file: file.name });
}

async function embedSlice(
  host: EngineHost,
  work: EmbeddingWork,
  {
    productId,
    digest,
    endpoint,
  }: { readonly productId: string; readonly digest: string; readonly endpoint: CalledEndpoint },
): Promise<EmbedOutcome> {
  const began = performance.now();
  const outcome = await host.backend.knowledge.embed(productId, digest, {
    endpoint,
    forMs: Math.min(SLICE_MS.most, Math.max(SLICE_MS.least, work.spentMs / 2)),
    isCurrent: async () => (await host.directory.knowledgeOf(productId))?.digest === digest,
  });
  work.spentMs += performance.now() - began;
  return outcome;
}

function settle(work: EmbeddingWork, settled: NonNullable<EmbeddingWork["settled"]>): false {
  Object.assign(work, { settled, spentMs: 0, error: null });
  return false;
}

/** A later call, or the end of the pause, tries again. */
function failed(
  host: EngineHost,
  productId: string,
  work: EmbeddingWork,
  { error, atLeastMs = 0 }: { readonly error: unknown; readonly atLeastMs?: number },
): void {
  if (host.stopping.aborted) return;
  const message = error instanceof Error ? error.message : String(error);
  if (work.error !== message)
    host.logger.warn({ product_id: productId, err: error }, "failed to embed a product's knowledge; it is tried again");
  work.error = message;
  work.pauses.failed(performance.now(), atLeastMs);
  clearTimeout(work.retry);
  const pauseMs = work.pauses.remaining(performance.now());
  work.retry = setTimeout(() => embedKnowledge(host, productId), pauseMs).unref();
}
