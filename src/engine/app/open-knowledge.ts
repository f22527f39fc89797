import { join } from "node:path";
import { KNOWLEDGE_FOLDER } from "../../contract/engine/knowledge-file.ts";
import type { EngineLaunch } from "../../contract/engine/launch.ts";
import type { Logger } from "../../shared/logger.ts";
import { LiveKnowledge } from "../knowledge/live-knowledge.ts";
import { NO_RELATED_WORDS, openRelatedWords } from "../memory/search/related-words.ts";

const NO_DOCUMENT = { digest: null };

/** The product's knowledge, in the version of the launch where the engine has its file. */
export async function openKnowledge({
  launch: { data_dir, product_catalog, product_knowledge },
  wordVectors,
  logger,
}: {
  readonly launch: EngineLaunch;
  /** The folder of related words; null without. */
  readonly wordVectors: string | null;
  readonly logger: Logger;
}): Promise<LiveKnowledge> {
  const knowledge = new LiveKnowledge({
    sharedFolder: product_catalog === undefined ? null : join(product_catalog.folder, KNOWLEDGE_FOLDER),
    ownFolder: join(data_dir, "knowledge"),
    related: wordVectors === null ? NO_RELATED_WORDS : openRelatedWords(wordVectors, logger),
    logger,
  });
  await knowledge.use(product_knowledge ?? NO_DOCUMENT);
  return knowledge;
}
