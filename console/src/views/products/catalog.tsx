import type { CatalogFile, CatalogVersion } from "@orchd/client";
import { useState } from "preact/hooks";
import { useResource } from "../../live/resource.ts";
import { useAction } from "../../parts/action.ts";
import { Confirm } from "../../parts/confirm.tsx";
import { Empty } from "../../parts/empty.tsx";
import { NONE, formatBytes, formatCount } from "../../parts/format.ts";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { Ago } from "../../parts/time.tsx";
import { productCalls } from "../../session/clients.ts";
import { may } from "../../session/session.ts";
import { type ProductProps, withProduct } from "./with-product.tsx";

const FILES: readonly Column<CatalogFile>[] = [
  { title: "File", kind: "wide", cell: ({ path }) => <code>{path}</code> },
  { title: "Size", kind: "number", cell: ({ bytes }) => formatBytes(bytes) },
  { title: "SHA-256", isExtra: true, cell: ({ sha256 }) => <code title={sha256}>{sha256.slice(0, 12)}</code> },
];

/** The versions of a product's catalog. An earlier one can be made current again. */
const Catalog = ({ product }: ProductProps) => {
  const calls = productCalls(product.id);
  const history = useResource((signal) => calls.catalog.history({ signal }), [product.id]);
  const current = useResource((signal) => calls.catalog.get({ signal }), [product.id]);
  const [asked, setAsked] = useState<CatalogVersion | null>(null);
  const { isBusy, run } = useAction();
  const rollBack = async ({ version }: CatalogVersion) => {
    await run(
      () => calls.catalog.rollback(version, { ifVersion: current.data?.version }),
      `The files of version ${version} are current again.`,
    );
    setAsked(null);
    history.reload();
    current.reload();
  };
  const columns: readonly Column<CatalogVersion>[] = [
    { title: "Version", kind: "number", cell: ({ version }) => version },
    { title: "Pushed", cell: ({ created_at }) => <Ago at={created_at} /> },
    { title: "By", isExtra: true, cell: ({ actor }) => actor ?? NONE },
    { title: "Files", kind: "number", cell: ({ files }) => formatCount(files) },
    { title: "Size", kind: "number", isExtra: true, cell: ({ bytes }) => formatBytes(bytes) },
    {
      title: "Digest",
      kind: "wide",
      isExtra: true,
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
      cell: (row) =>
        row.version === current.data?.version ? (
          <span class="dim">current</span>
        ) : (
          may("admin") && (
            <button type="button" class="small" disabled={isBusy} onClick={() => setAsked(row)}>
              Roll back
            </button>
          )
        ),
    },
  ];
  const problem = history.problem ?? current.problem;
  return (
    <>
      {problem !== null && <ProblemNote problem={problem} onRetry={() => (history.reload(), current.reload())} />}
      {history.data !== null &&
        (history.data.versions.some(({ version }) => version > 0) ? (
          <section aria-labelledby="versions">
            <h2 id="versions">Versions</h2>
            <Table
              label="Versions of the catalog"
              columns={columns}
              rows={history.data.versions}
              keyOf={({ version }) => version}
            />
          </section>
        ) : (
          <Empty
            title="No catalog was pushed for this product."
            command={`orchctl catalog push ./catalog --product ${product.slug}`}
          >
            <p>Its engines have the agents, skills and tools of orchd. To add those of the product, push a folder:</p>
          </Empty>
        ))}
      {current.data !== null && current.data.files.length > 0 && (
        <section aria-labelledby="files">
          <h2 id="files">Files of version {current.data.version}</h2>
          <Table label="Files" columns={FILES} rows={current.data.files} keyOf={({ path }) => path} />
        </section>
      )}
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
    </>
  );
};

export const ProductCatalog = withProduct(Catalog);
