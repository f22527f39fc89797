import { sql } from "kysely";
import { knowledgeDigest } from "../../contract/orchestrator/knowledge-digest.ts";
import type { KnowledgeDocument } from "../../contract/orchestrator/knowledge.ts";
import type { Db, Trx } from "./database.ts";
import { origin } from "./events.ts";
import type { KnowledgeDocumentsTable } from "./knowledge-tables.ts";

/** The current version of a product's knowledge: 0 before the first one. The digest is null without a document. */
export interface CurrentKnowledge {
  readonly version: number;
  readonly digest: string | null;
}

export type NewDocument = Pick<
  KnowledgeDocumentsTable,
  "title" | "media_type" | "bytes" | "sha256" | "passages" | "text_bytes" | "content" | "content_digest"
>;

const SHOWN = [
  "path",
  "title",
  "media_type",
  "bytes",
  "sha256",
  "passages",
  "actor",
  "created_at",
  "updated_at",
] as const;

/** Locks the product's row, which serializes changes of its knowledge. Null when the product is deleted. */
export async function lockKnowledge(trx: Trx, productId: string): Promise<CurrentKnowledge | null> {
  const row = await trx
    .selectFrom("products")
    .select(["knowledge_version", "knowledge_digest"])
    .where("id", "=", productId)
    .forUpdate()
    .executeTakeFirst();
  return row === undefined ? null : { version: row.knowledge_version, digest: row.knowledge_digest };
}

/** The products that have documents. */
export async function productsWithKnowledge(db: Db): Promise<readonly string[]> {
  const rows = await db.selectFrom("products").select("id").where("knowledge_digest", "is not", null).execute();
  return rows.map(({ id }) => id);
}

/** All documents by path, without their content. */
export async function listDocuments(db: Db, productId: string): Promise<KnowledgeDocument[]> {
  const rows = await db
    .selectFrom("knowledge_documents")
    .select(SHOWN)
    .where("product_id", "=", productId)
    .orderBy("path")
    .execute();
  return rows.map(toDocument);
}

export async function findDocument(db: Db, productId: string, path: string): Promise<KnowledgeDocument | null> {
  const row = await ofPath(db, productId, path).select(SHOWN).executeTakeFirst();
  return row === undefined ? null : toDocument(row);
}

/** The sealed title and passages of a document. */
export async function findContent(db: Db, productId: string, path: string): Promise<Buffer | null> {
  const row = await ofPath(db, productId, path).select("content").executeTakeFirst();
  return row?.content ?? null;
}

const ofPath = (db: Db, productId: string, path: string) =>
  db.selectFrom("knowledge_documents").where("product_id", "=", productId).where("path", "=", path);

/** The digest of each document's content, by path. */
export async function contentDigests(db: Db, productId: string): Promise<ReadonlyMap<string, string>> {
  const rows = await db
    .selectFrom("knowledge_documents")
    .select(["path", "content_digest"])
    .where("product_id", "=", productId)
    .execute();
  return new Map(rows.map((row) => [row.path, row.content_digest]));
}

/** How much the product's documents are, all but the one at `path`. */
export async function sizeWithout(
  db: Db,
  productId: string,
  path: string,
): Promise<{ readonly documents: number; readonly textBytes: number }> {
  const { documents, bytes } = await db
    .selectFrom("knowledge_documents")
    .select([sql<number>`count(*)::int`.as("documents"), sql<number>`coalesce(sum(text_bytes), 0)::int`.as("bytes")])
    .where("product_id", "=", productId)
    .where("path", "!=", path)
    .executeTakeFirstOrThrow();
  return { documents, textBytes: bytes };
}

/** Inserts a document, or replaces the one at its path. */
export async function putDocument(trx: Trx, productId: string, path: string, document: NewDocument): Promise<void> {
  const { actor } = origin();
  await trx
    .insertInto("knowledge_documents")
    .values({ product_id: productId, path, ...document, actor })
    .onConflict((conflict) =>
      conflict.columns(["product_id", "path"]).doUpdateSet({ ...document, actor, updated_at: new Date() }),
    )
    .execute();
}

/** False when there is none. */
export async function deleteDocument(trx: Trx, productId: string, path: string): Promise<boolean> {
  const { numDeletedRows: rows } = await trx
    .deleteFrom("knowledge_documents")
    .where("product_id", "=", productId)
    .where("path", "=", path)
    .executeTakeFirst();
  return rows > 0n;
}

/** Makes the stored documents the product's next version. */
export async function advanceKnowledge(trx: Trx, productId: string, before: number): Promise<CurrentKnowledge> {
  const next = { version: before + 1, digest: knowledgeDigest(await contentDigests(trx, productId)) };
  await trx
    .updateTable("products")
    .set({ knowledge_version: next.version, knowledge_digest: next.digest })
    .where("id", "=", productId)
    .execute();
  return next;
}

const toDocument = ({
  created_at: createdAt,
  updated_at: updatedAt,
  ...row
}: Pick<KnowledgeDocumentsTable, Exclude<(typeof SHOWN)[number], "created_at" | "updated_at">> & {
  readonly created_at: Date;
  readonly updated_at: Date;
}): KnowledgeDocument => ({ ...row, created_at: createdAt.toISOString(), updated_at: updatedAt.toISOString() });
