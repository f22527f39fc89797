import type { CatalogHistory, CatalogVersion, EngineRecord, ProductRecord } from "@orchd/client";
import { useState } from "preact/hooks";
import { useAction } from "../../parts/action.ts";
import { Confirm } from "../../parts/confirm.tsx";
import { NONE, formatBytes, formatCount } from "../../parts/format.ts";
import { type Column, Table } from "../../parts/table.tsx";
import { Ago } from "../../parts/time.tsx";
import { UserName } from "../../parts/user-name.tsx";
import { linkTo } from "../../routing/address.ts";
import { productCalls } from "../../session/clients.ts";
import { may } from "../../session/session.ts";
import { useProductEngines } from "./use-product-engines.ts";

interface VersionsProps {
  readonly product: ProductRecord;
  readonly versions: CatalogHistory["versions"];
  readonly current: number;
  readonly onChanged: () => void;
}

/** The versions of a catalog, who uses them, and what they changed. An earlier one can be made current again. */
export const Versions = ({ product, versions, current, onChanged }: VersionsProps) => {
  const [asked, setAsked] = useState<CatalogVersion | null>(null);
  const { isBusy, run } = useAction();
  const rollBack = async ({ version }: CatalogVersion) => {
    await run(
      () => productCalls(product.id).catalog.rollback(version, { ifVersion: current }),
      `The files of version ${version} are current again.`,
    );
    setAsked(null);
    onChanged();
  };
  const running = useProductEngines(product.id);
  const used = usedVersions(running);
  const columns: readonly Column<CatalogVersion>[] = [
    { title: "Version", kind: "number", cell: ({ version }) => version },
    { title: "Pushed", cell: ({ created_at }) => <Ago at={created_at} /> },
    { title: "By", isExtra: true, cell: ({ actor }) => actor ?? NONE },
    { title: "Files", kind: "number", isExtra: true, cell: ({ files }) => formatCount(files) },
    { title: "Size", kind: "number", isRare: true, cell: ({ bytes }) => formatBytes(bytes) },
    { title: "Running engines", kind: "number", cell: ({ version }) => formatCount(used.get(version) ?? 0) },
    {
      title: "Digest",
      kind: "wide",
      isRare: true,
      cell: ({ digest, restored_from }) => (
        <>
          <code title={digest ?? ""}>{digest?.slice(0, 12) ?? NONE}</code>
          {restored_from !== null && <span class="dim"> files of version {restored_from}</span>}
        </>
      ),
    },
    {
      title: "Actions",
      kind: "actions",
      cell: (row) => (
        <>
          {row.version > 0 && may("admin") && (
            <a
              class="button small"
              href={linkTo(`/products/${product.slug}/catalog?from=${before(versions, row.version)}&to=${row.version}`)}
              aria-label={`Changes of version ${row.version}`}
            >
              Changes
            </a>
          )}{" "}
          {row.version === current ? (
            <span class="dim">current</span>
          ) : (
            may("admin") && (
              <button type="button" class="small" disabled={isBusy} onClick={() => setAsked(row)}>
                Roll back
              </button>
            )
          )}
        </>
      ),
    },
  ];
  return (
    <section aria-labelledby="versions">
      <h2 id="versions">Versions</h2>
      <Table label="Versions of the catalog" columns={columns} rows={versions} keyOf={({ version }) => version} />
      <Refusals engines={running} />
      {asked !== null && (
        <Confirm
          title={`Roll back to version ${asked.version}`}
          action="Roll back"
          isBusy={isBusy}
          onConfirm={() => void rollBack(asked)}
          onClose={() => setAsked(null)}
        >
          <p>Its files become a new version. Engines that run reload it between turns.</p>
        </Confirm>
      )}
    </section>
  );
};

/** How many running engines use each version. */
function usedVersions(engines: readonly EngineRecord[]): ReadonlyMap<number, number> {
  const used = new Map<number, number>();
  for (const { catalog } of engines) {
    const version = catalog?.version;
    if (version !== null && version !== undefined) used.set(version, (used.get(version) ?? 0) + 1);
  }
  return used;
}

/** The stored version before this one. */
const before = (versions: readonly CatalogVersion[], version: number): number =>
  Math.max(0, ...versions.map((one) => one.version).filter((one) => one < version));

const SHOWN = 20;

/** The engines that do not use the current version, and why. */
const Refusals = ({ engines }: { readonly engines: readonly EngineRecord[] }) => {
  const failed = engines.filter(({ catalog }) => (catalog?.error ?? null) !== null);
  if (failed.length === 0) return null;
  return (
    <div class="callout problem">
      <p>{failed.length === 1 ? "An engine does" : `${failed.length} engines do`} not use the current version:</p>
      <ul>
        {failed.slice(0, SHOWN).map(({ id, user_id, catalog }) => (
          <li key={id}>
            <a href={linkTo(`/engines/${id}`)}>
              <UserName id={user_id} />
            </a>
            : {catalog?.error}
          </li>
        ))}
      </ul>
    </div>
  );
};
