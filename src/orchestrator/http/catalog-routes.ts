import { rollbackRequest } from "../../contract/orchestrator/catalog.ts";
import { flagParameter } from "../../shared/http/parameters.ts";
import { InvalidInput } from "../../shared/parse.ts";
import { ApiError } from "../api-error.ts";
import type { EngineHost } from "../host-context.ts";
import { pushCatalog } from "../operations/push-catalog.ts";
import { readVersionArchive } from "../operations/read-version-archive.ts";
import { rollbackCatalog } from "../operations/rollback-catalog.ts";
import { catalogHistory, currentCatalog } from "../status/read-catalog.ts";
import type { Answer, Call, Handler } from "./call.ts";

/** The catalog that a product's engines share. */
export function catalogRoutes(host: EngineHost) {
  return {
    showProductCatalog: async (call) => tagged(call, await currentCatalog(host, call.product.record.id)),
    pushCatalog: async (call) => {
      const options = { ifVersion: ifMatch(call), dryRun: flagParameter(call, "dry_run") };
      return tagged(call, await pushCatalog(host, call.product, { archive: call.bytes, ...options }));
    },
    catalogHistory: async (call) => ({
      status: 200,
      body: { versions: await catalogHistory(host, call.product.record.id) },
    }),
    rollbackCatalog: async (call) => {
      const { version } = call.body(rollbackRequest);
      return tagged(call, await rollbackCatalog(host, call.product, { version, ifVersion: ifMatch(call) }));
    },
    catalogArchive: async (call) => {
      const version = Number(call.params["version"]);
      if (!Number.isInteger(version))
        throw new ApiError("CATALOG_VERSION_NOT_FOUND", "expected the number of a version");
      const archive = await readVersionArchive(host, call.product.record.id, version);
      const disposition = `attachment; filename="catalog-${version}.tar.gz"`;
      call.response.set({ "Content-Type": "application/gzip", "Content-Disposition": disposition });
      call.response.set("Cache-Control", "no-store").send(archive);
      return undefined;
    },
  } satisfies Record<string, Handler>;
}

/** Adds the version as ETag, for `If-Match` of the next change. */
function tagged(call: Call, body: { readonly version: number }): Answer {
  call.response.set("ETag", `"${body.version}"`);
  return { status: 200, body };
}

/** The version that the caller means to replace; null for any. */
function ifMatch({ headers }: Call): number | null {
  const tag = headers["if-match"];
  if (tag === undefined || tag === "*") return null;
  const [, version] = /^"(\d{1,9})"$/.exec(tag) ?? [];
  if (version === undefined) throw new InvalidInput("If-Match", 'expected the ETag of GET /catalog, such as "12"');
  return Number(version);
}
