import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import type { ReadDocument } from "../../contract/orchestrator/knowledge-passage.ts";
import type { HostContext } from "../host-context.ts";
import { findContent } from "../store/knowledge.ts";

/** The content of a document as it is stored. */
export const sealDocument = async ({ box }: Pick<HostContext, "box">, document: ReadDocument): Promise<Buffer> =>
  box.sealBytes(await promisify(gzip)(JSON.stringify(document)));

/** Null when there is no document. */
export async function openDocument(
  { db, box }: Pick<HostContext, "db" | "box">,
  productId: string,
  path: string,
): Promise<ReadDocument | null> {
  const sealed = await findContent(db, productId, path);
  if (sealed === null) return null;
  const json = await promisify(gunzip)(box.openBytes(sealed));
  return JSON.parse(json.toString()) as ReadDocument;
}
