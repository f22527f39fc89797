import * as z from "zod/mini";
import type {
  CatalogFault,
  CatalogFile,
  CatalogHistory,
  CatalogPushed,
  CatalogVersion,
  ProductCatalogRecord,
} from "../catalog-records.ts";
import { count, text, textOrNull, timeOrNull } from "../response-schemas.ts";

export const catalogFile = z.object({
  path: text,
  bytes: count,
  sha256: text,
  executable: z.boolean(),
}) satisfies z.ZodMiniType<CatalogFile>;

export const catalogFault = z.object({
  path: text,
  line: z.optional(count),
  message: text,
}) satisfies z.ZodMiniType<CatalogFault>;

const version = {
  version: count,
  digest: textOrNull,
  bytes: count,
  restored_from: z.nullable(count),
  created_at: timeOrNull,
  actor: z.nullable(z.enum(["product", "admin", "orchd"])),
};
const catalogVersion = z.object({ ...version, files: count }) satisfies z.ZodMiniType<CatalogVersion>;
const paths = z.array(text);

/** The bodies of the routes of a product's catalog. */
export const CATALOG_RESPONSES = {
  ProductCatalog: z.object({
    ...version,
    files: z.array(catalogFile),
  }) satisfies z.ZodMiniType<ProductCatalogRecord>,
  CatalogHistory: z.object({ versions: z.array(catalogVersion) }) satisfies z.ZodMiniType<CatalogHistory>,
  CatalogPushed: z.extend(catalogVersion, {
    is_new: z.boolean(),
    changes: z.object({ added: paths, changed: paths, removed: paths }),
    warnings: z.array(catalogFault),
    engines: z.nullable(
      z.object({
        running: count,
        reloaded: count,
        failed: z.array(z.object({ user_id: text, reason: text })),
      }),
    ),
  }) satisfies z.ZodMiniType<CatalogPushed>,
};
