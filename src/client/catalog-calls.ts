import type { CatalogHistory, CatalogPushed, ProductCatalogRecord } from "../contract/catalog-records.ts";
import { queryOf } from "./address.ts";
import { type CallOptions, callJson, openStream, withRetries } from "./http-call.ts";
import type { ChangeOptions, OrchestratorCalls } from "./orchestrator-calls.ts";
import { LinkedAbort } from "./timeouts.ts";

export interface ChangeCatalogOptions extends ChangeOptions {
  /** `CATALOG_CHANGED` if the current version is another one. */
  readonly ifVersion?: number | undefined;
}

export interface PushCatalogOptions extends ChangeCatalogOptions {
  /** Checks the archive, and changes nothing. */
  readonly dryRun?: boolean | undefined;
}

/** Calls of the catalog that a product's engines share. */
export const catalogCalls = ({ service, get }: OrchestratorCalls) => {
  const { engineDeadlineMs } = service.limits;
  const ifMatch = (version: number | undefined) => (version === undefined ? {} : { "If-Match": `"${version}"` });
  return {
    /** The current version with its files; version 0 before the first push. */
    get: (call?: CallOptions) => get<ProductCatalogRecord>("/catalog", call),

    /** Replaces the catalog by the files of a tar.gz archive. `CATALOG_INVALID` has each fault in `details.errors`. */
    push: (
      archive: Blob | Uint8Array<ArrayBuffer>,
      { ifVersion, dryRun, signal, deadlineMs = engineDeadlineMs, onRetry }: PushCatalogOptions = {},
    ) =>
      callJson<CatalogPushed>(
        service,
        {
          method: "PUT",
          path: `/catalog${queryOf({ dry_run: dryRun })}`,
          upload: { content: archive instanceof Uint8Array ? new Blob([archive]) : archive, type: "application/gzip" },
          headers: ifMatch(ifVersion),
          signal,
          deadlineMs,
        },
        // A second try would find the version of the first one.
        { repeatable: ifVersion === undefined, onRetry },
      ),

    /** The stored versions, the newest first. */
    history: (call?: CallOptions) => get<CatalogHistory>("/catalog/history", call),

    /** Makes the files of a version current again; 0 is the catalog without a file. */
    rollback: (
      version: number,
      { ifVersion, signal, deadlineMs = engineDeadlineMs, onRetry }: ChangeCatalogOptions = {},
    ) =>
      callJson<CatalogPushed>(
        service,
        {
          method: "POST",
          path: "/catalog/rollback",
          body: { version },
          headers: ifMatch(ifVersion),
          signal,
          deadlineMs,
        },
        { repeatable: ifVersion === undefined, onRetry },
      ),

    /** The tar.gz archive of a version, as it was pushed. */
    async archive(version: number, { signal }: CallOptions = {}): Promise<Blob> {
      const abort = new LinkedAbort(signal);
      const path = `/catalog/versions/${version}/archive`;
      const open = () => openStream(service, { method: "GET", path, signal: abort.signal, type: "application/gzip" });
      try {
        const { chunks } = await withRetries(service, { signal: abort.signal }, open);
        const parts: Uint8Array<ArrayBuffer>[] = [];
        for await (const chunk of chunks) parts.push(new Uint8Array(chunk));
        return new Blob(parts, { type: "application/gzip" });
      } finally {
        abort.dispose();
      }
    },
  };
};
