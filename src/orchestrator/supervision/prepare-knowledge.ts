import type { HostContext } from "../host-context.ts";
import { openDocument } from "../status/document-content.ts";
import { type CurrentKnowledge, contentDigests } from "../store/knowledge.ts";

type Host = Pick<HostContext, "db" | "box" | "backend">;

/** Makes sure that the file of a version is on this host. False when the product has another version by now. */
export async function prepareKnowledge(
  host: Host,
  productId: string,
  { digest }: Pick<CurrentKnowledge, "digest">,
): Promise<boolean> {
  if (digest === null) return true;
  return host.backend.knowledge.ensure(productId, digest, {
    contents: () => contentDigests(host.db, productId),
    document: (path) => openDocument(host, productId, path),
  });
}
