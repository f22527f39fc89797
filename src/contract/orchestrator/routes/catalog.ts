import { CATALOG_LIMITS } from "../catalog-limits.ts";
import { rollbackRequest } from "../catalog.ts";
import type { Parameter } from "../../route-table.ts";
import { ok } from "../../route-table.ts";
import { type Route, platform } from "./route-row.ts";

const IF_MATCH = {
  "If-Match": { kind: "text", summary: 'The `ETag` of the version to replace, such as `"12"`; another one is refused' },
} as const satisfies Record<string, Parameter>;

/** The catalog that a product's engines share. */
export const CATALOG_ROUTES = {
  showProductCatalog: platform(
    "GET /catalog",
    "Get the current version of the [product's catalog](catalog.md#a-catalog-for-your-product) with its files",
    { role: "viewer", responses: ok("ProductCatalog") },
  ),
  pushCatalog: platform("PUT /catalog", "Replace the product's catalog by the files of a tar.gz archive", {
    role: "admin",
    query: {
      dry_run: { kind: "flag", summary: "Check the archive, and change nothing" },
      try: {
        kind: "text",
        maxLength: 8192,
        summary: "With `dry_run`: a call as JSON, `{tool, input}`, to say which rule decides it",
      },
    },
    headers: IF_MATCH,
    requestArchive: true,
    maxBodyBytes: CATALOG_LIMITS.archiveBytes,
    timeout: "boot",
    responses: ok("CatalogPushed"),
    errors: ["POLICY_DENIED", "PRODUCT_NOT_FOUND", "CATALOG_CHANGED", "CATALOG_INVALID"],
  }),
  catalogHistory: platform(
    "GET /catalog/history",
    "List the stored versions of the product's catalog, the newest first",
    { role: "viewer", responses: ok("CatalogHistory") },
  ),
  rollbackCatalog: platform("POST /catalog/rollback", "Make the files of an earlier version current again", {
    role: "admin",
    headers: IF_MATCH,
    request: rollbackRequest,
    timeout: "boot",
    responses: ok("CatalogPushed"),
    errors: ["POLICY_DENIED", "PRODUCT_NOT_FOUND", "CATALOG_VERSION_NOT_FOUND", "CATALOG_CHANGED"],
  }),
  catalogArchive: platform(
    "GET /catalog/versions/{version}/archive",
    "Get the archive of a version, as it was pushed",
    // It has the secrets that the catalog's files have.
    { role: "admin", responses: { 200: [{ kind: "archive" }] }, errors: ["CATALOG_VERSION_NOT_FOUND"] },
  ),
} satisfies Record<string, Route>;
