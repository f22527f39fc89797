import * as z from "zod/mini";
import { integer } from "../../shared/parse.ts";
import { CATALOG_LIMITS } from "../catalog-limits.ts";
import type { Parameter } from "../route-table.ts";
import { ok } from "../route-table.ts";
import { type Route, platform } from "./route-row.ts";

const IF_MATCH = {
  "If-Match": { kind: "text", summary: 'The `ETag` of the version to replace, such as `"12"`; another one is refused' },
} as const satisfies Record<string, Parameter>;

export const rollbackRequest = z.object({ version: integer(0, 2_147_483_647) });

/** The catalog that a product's engines share. */
export const CATALOG_ROUTES = {
  showProductCatalog: platform("GET /catalog", "The current version of the product's catalog, with its files", {
    responses: ok("ProductCatalog"),
  }),
  pushCatalog: platform("PUT /catalog", "Replace the product's catalog by the files of a tar.gz archive", {
    query: { dry_run: { kind: "flag", summary: "Check the archive, and change nothing" } },
    headers: IF_MATCH,
    requestArchive: true,
    maxBodyBytes: CATALOG_LIMITS.archiveBytes,
    responses: ok("CatalogPushed"),
    errors: ["POLICY_DENIED", "PRODUCT_NOT_FOUND", "CATALOG_CHANGED", "CATALOG_INVALID"],
  }),
  catalogHistory: platform("GET /catalog/history", "The stored versions of the product's catalog", {
    responses: ok("CatalogHistory"),
  }),
  rollbackCatalog: platform("POST /catalog/rollback", "Make an earlier version's files the current ones", {
    headers: IF_MATCH,
    request: rollbackRequest,
    responses: ok("CatalogPushed"),
    errors: ["POLICY_DENIED", "PRODUCT_NOT_FOUND", "CATALOG_VERSION_NOT_FOUND", "CATALOG_CHANGED"],
  }),
  catalogArchive: platform("GET /catalog/versions/{version}/archive", "A version as it was pushed, a tar.gz archive", {
    responses: { 200: [{ kind: "archive" }] },
    errors: ["CATALOG_VERSION_NOT_FOUND"],
  }),
} satisfies Record<string, Route>;
