import { catalogDigest } from "../../../contract/catalog-digest.ts";
import { ARCHIVE } from "../../../contract/catalog-limits.ts";
import type { CatalogStorage } from "../catalog-storage.ts";
import { LaunchFailed } from "../launch-failed.ts";

const REASON =
  "engines in a Kubernetes cluster have no catalog of their product; put agents and skills into the image or the engines' own catalogs";

/** A cluster has no place that all engines of a product could read: a push is refused, and so is a start with a version. */
export const NO_CATALOGS: CatalogStorage = {
  stage: async () => ({
    check: { files: [], errors: [{ path: ARCHIVE, message: REASON }], more_errors: 0, warnings: [] },
    digest: catalogDigest([]),
    place: () => Promise.reject(new LaunchFailed(REASON)),
    [Symbol.asyncDispose]: async () => undefined,
  }),
  ensure: () => Promise.reject(new LaunchFailed(REASON)),
  collect: async () => undefined,
  erase: async () => undefined,
};
