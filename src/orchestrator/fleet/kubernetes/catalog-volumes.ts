import { CATALOGS } from "../containers/container-launch.ts";

/** The key of a secret that holds a part of an archive. */
export const PART_KEY = "part";
/** The name of the container that unpacks the archive. */
const CATALOG_CONTAINER = "catalog";
const PARTS = "/run/orchd-catalog";
/** Above the limit of an unpacked catalog, with file system overhead. */
const SIZE_LIMIT = "64Mi";

export interface PodCatalog {
  readonly digest: string;
  /** The secrets with its archive, in their order. */
  readonly parts: readonly string[];
}

/** The fields that the init container shares with the engine's container. */
interface ContainerBase {
  readonly image: string;
  readonly imagePullPolicy: string;
  readonly securityContext: object;
  readonly resources: object;
}

/** The volumes of a catalog, and the container that fills them before the engine starts. Nothing without a catalog. */
export function catalogVolumes(catalog: PodCatalog | null, program: string, base: ContainerBase) {
  if (catalog === null) return { volumes: [], mounts: [], containers: [] };
  const { digest, parts } = catalog;
  const files = parts.map((_, index) => `${PARTS}/${index}`);
  const projected = parts.map((name, index) => ({
    secret: { name, items: [{ key: PART_KEY, path: String(index) }] },
  }));
  return {
    volumes: [
      { name: "catalogs", emptyDir: { sizeLimit: SIZE_LIMIT } },
      { name: "catalog-parts", projected: { defaultMode: 0o440, sources: projected } },
    ],
    mounts: [{ name: "catalogs", mountPath: CATALOGS, readOnly: true }],
    containers: [
      {
        name: CATALOG_CONTAINER,
        ...base,
        args: [program, JSON.stringify({ parts: files, target: `${CATALOGS}/${digest}`, digest })],
        // The pod's status contains its last log lines.
        terminationMessagePolicy: "FallbackToLogsOnError",
        volumeMounts: [
          { name: "catalogs", mountPath: CATALOGS },
          { name: "catalog-parts", mountPath: PARTS, readOnly: true },
        ],
      },
    ],
  };
}
