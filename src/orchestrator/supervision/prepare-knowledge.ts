import type { HostContext } from "../host-context.ts";
import type { KnowledgeFile } from "../fleet/knowledge-storage.ts";
import { openDocument } from "../status/document-content.ts";
import { type CurrentKnowledge, contentDigests } from "../store/knowledge.ts";

type Host = Pick<HostContext, "db" | "box" | "backend">;

/** Makes sure that a file of a version is on this host. Null without a document, and when the product has another version by now. */
export async function prepareKnowledge(
  host: Host,
  productId: string,
  { digest }: Pick<CurrentKnowledge, "digest">,
): Promise<KnowledgeFile | null> {
  if (digest === null) return null;
  return host.backend.knowledge.ensure(productId, digest, {
    contents: () => contentDigests(host.db, productId),
    document: (path) => openDocument(host, productId, path),
  });
}
