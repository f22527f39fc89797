/** An entry of the catalog and what is to be said of it; `path` is below the catalog's folder. */
export interface CatalogRemark {
  readonly path: string;
  readonly message: string;
}

/** What `POST /admin/reload-catalog` answers; a refusal has the `errors` in its `details`. */
export interface CatalogReloaded {
  readonly agents: number;
  readonly skills: number;
  readonly tools: number;
  readonly servers: number;
  readonly errors: readonly CatalogRemark[];
  /** What was taken although it may be a mistake. */
  readonly warnings: readonly CatalogRemark[];
}

/** What `POST /admin/reload-core-soul` answers. */
export interface CoreSoulReloaded {
  /** SHA-256 of the template, as `GET /health` shows it. */
  readonly hash: string;
  readonly bytes: number;
}
