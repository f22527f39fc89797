import type { CatalogPushed } from "./records.ts";
import * as routes from "./orchestrator-routes.ts";
import type { CallOptions } from "./http-call.ts";
import { openStream, withRetries } from "./http-call.ts";
import type { ChangeOptions, OrchestratorCalls } from "./orchestrator-calls.ts";
import { requestOf } from "./route.ts";
import { LinkedAbort } from "./timeouts.ts";

export interface ChangeCatalogOptions extends ChangeOptions {
  /** `CATALOG_CHANGED` if the current version is another one. */
  readonly ifVersion?: number | undefined;
}

export interface PushCatalogOptions extends ChangeCatalogOptions {
  /** Checks the archive, and changes nothing. */
  readonly dryRun?: boolean | undefined;
  /** With `dryRun`: a call; the answer's `tried` is the rule that decides it. */
  readonly tried?: { readonly tool: string; readonly input: Readonly<Record<string, unknown>> } | undefined;
}

/** A second try would find the version of the first one. */
const ifMatch = (version: number | undefined) =>
  version === undefined ? {} : { ifMatch: `"${version}"`, repeatable: false };

/** Calls of the catalog that a product's engines share. */
export const catalogCalls = ({ service, call }: OrchestratorCalls) => ({
  /** The current version with its files; version 0 before the first push. */
  get: (given: CallOptions = {}) => call(routes.showProductCatalog, given),

  /** Replaces the catalog by the files of a tar.gz archive. `CATALOG_INVALID` has each fault in `details.errors`. */
  push: async (
    archive: Blob | Uint8Array<ArrayBuffer>,
    { ifVersion, tried, ...given }: PushCatalogOptions = {},
  ): Promise<CatalogPushed> => {
    const body = archive instanceof Uint8Array ? new Blob([archive]) : archive;
    const tries = tried && { try: JSON.stringify(tried) };
    return call(routes.pushCatalog, { ...given, ...tries, ...ifMatch(ifVersion), body });
  },

  /** The stored versions, the newest first. */
  history: (given: CallOptions = {}) => call(routes.catalogHistory, given),

  /** Makes the files of a version current again; 0 is the catalog without a file. */
  rollback: (version: number, { ifVersion, ...given }: ChangeCatalogOptions = {}) =>
    call(routes.rollbackCatalog, { ...given, ...ifMatch(ifVersion), version }),

  /** The tar.gz archive of a version, as it was pushed. */
  async archive(version: number, { signal }: CallOptions = {}): Promise<Blob> {
    const abort = new LinkedAbort(signal);
    const request = requestOf(routes.catalogArchive, { version: String(version) });
    const open = () => openStream(service, { ...request, signal: abort.signal, type: "application/gzip" });
    try {
      const { chunks } = await withRetries(service, { signal: abort.signal }, open);
      const parts: Uint8Array<ArrayBuffer>[] = [];
      for await (const chunk of chunks) parts.push(new Uint8Array(chunk));
      return new Blob(parts, { type: "application/gzip" });
    } finally {
      abort.dispose();
    }
  },
});
