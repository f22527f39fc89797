import { join } from "node:path";
import { KNOWLEDGE_FOLDER } from "../../contract/engine/knowledge-file.ts";
import type { EngineLaunch } from "../../contract/engine/launch.ts";
import type { Logger } from "../../shared/logger.ts";
import { LiveKnowledge } from "../knowledge/live-knowledge.ts";
import type { TextEmbedder } from "../memory/embeddings/text-embedder.ts";

const NO_DOCUMENT = { digest: null };

/** The product's knowledge, in the version of the launch where the engine has its file. */
export async function openKnowledge(
  { data_dir, product_catalog, product_knowledge }: EngineLaunch,
  { embedder = null, logger }: { readonly embedder: TextEmbedder | null | undefined; readonly logger: Logger },
): Promise<LiveKnowledge> {
  const knowledge = new LiveKnowledge({
    sharedFolder: product_catalog === undefined ? null : join(product_catalog.folder, KNOWLEDGE_FOLDER),
    ownFolder: join(data_dir, "knowledge"),
    embedder,
    logger,
  });
  await knowledge.use(product_knowledge ?? NO_DOCUMENT);
  return knowledge;
}
