import { type TriedCall, rollbackRequest, triedCall } from "../../contract/orchestrator/catalog.ts";
import { flagParameter, parameter } from "../../shared/http/parameters.ts";
import { InvalidInput, parse } from "../../shared/parse.ts";
import { ApiError } from "../api-error.ts";
import type { EngineHost } from "../host-context.ts";
import { pushCatalog } from "../operations/push-catalog.ts";
import { readVersionArchive } from "../operations/read-version-archive.ts";
import { rollbackCatalog } from "../operations/rollback-catalog.ts";
import { catalogHistory, currentCatalog } from "../status/read-catalog.ts";
import type { Answer, Call, Handler } from "./call.ts";

const MAX_TRIED = 8192;

/** The catalog that a product's engines share. */
export function catalogRoutes(host: EngineHost) {
  return {
    showProductCatalog: async (call) => tagged(call, await currentCatalog(host, call.product.record.id)),
    pushCatalog: async (call) => {
      const dryRun = flagParameter(call, "dry_run");
      const options = { ifVersion: ifMatch(call), dryRun, tried: triedIn(call, dryRun) };
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

/** The call whose rule a dry run shows; null without one. */
function triedIn(call: Call, dryRun: boolean): TriedCall | null {
  const text = parameter(call, "try");
  if (text === undefined) return null;
  if (!dryRun) throw new InvalidInput("try", "expected only with dry_run=true");
  const json = jsonOf(text);
  if (json === undefined) throw new InvalidInput("try", 'expected JSON such as {"tool":"read_file","input":{}}');
  return parse(triedCall, json).value;
}

function jsonOf(text: string): unknown {
  try {
    return text.length > MAX_TRIED ? undefined : JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) return undefined;
    throw error;
  }
}

/** The version that the caller means to replace; null for any. */
function ifMatch({ headers }: Call): number | null {
  const tag = headers["if-match"];
  if (tag === undefined || tag === "*") return null;
  const [, version] = /^"(\d{1,9})"$/.exec(tag) ?? [];
  if (version === undefined) throw new InvalidInput("If-Match", 'expected the ETag of GET /catalog, such as "12"');
  return Number(version);
}
