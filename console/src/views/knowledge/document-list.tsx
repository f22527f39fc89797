import type { KnowledgeDocument, ProductKnowledge } from "@orchd/client";
import { useState } from "preact/hooks";
import { useAction } from "../../parts/action.ts";
import { Confirm } from "../../parts/confirm.tsx";
import { Empty } from "../../parts/empty.tsx";
import { formatBytes, formatCount } from "../../parts/format.ts";
import { type Column, Table } from "../../parts/table.tsx";
import { Ago } from "../../parts/time.tsx";
import { productCalls } from "../../session/clients.ts";
import { may } from "../../session/session.ts";
import { AddDocuments } from "./add-documents.tsx";
import { knowledgeLink } from "./knowledge-path.ts";
import { VectorStatus } from "./vector-status.tsx";

interface DocumentListProps {
  readonly product: string;
  readonly slug: string;
  readonly knowledge: ProductKnowledge;
  readonly onChange: () => void;
}

const TYPES: Readonly<Record<KnowledgeDocument["media_type"], string>> = {
  "text/plain": "text",
  "text/markdown": "Markdown",
  "text/html": "HTML",
  "application/pdf": "PDF",
};

/** All documents of a product. An administrator adds and deletes them. */
export const DocumentList = ({
  product,
  slug,
  knowledge: { version, documents, embeddings },
  onChange,
}: DocumentListProps) => {
  const { isBusy, run } = useAction();
  const [isAdding, setAdding] = useState(false);
  const [deleting, setDeleting] = useState<string | null>(null);
  const remove = async (path: string) => {
    if (await run(() => productCalls(product).knowledge.delete(path), `${path} is deleted.`)) onChange();
    setDeleting(null);
  };
  return (
    <section aria-labelledby="documents">
      <div class="controls">
        <h2 id="documents">Documents</h2>
        <span class="dim">{documents.length > 0 && `${formatCount(documents.length)} in version ${version}`}</span>
        {may("admin") && (
          <button type="button" onClick={() => setAdding(true)}>
            Add documents
          </button>
        )}
      </div>
      {documents.length > 0 && embeddings && <VectorStatus embeddings={embeddings} />}
      {documents.length === 0 ? (
        <Empty title="This product has no documents." command={`orchctl knowledge put ./help --product ${slug}`}>
          <p>
            Its engines search the manuals, terms and answers that are added here, and cite them. Add them above, or by:
          </p>
        </Empty>
      ) : (
        <Table
          label="Documents of the product"
          columns={columnsOf(product, may("admin") ? setDeleting : null)}
          rows={documents}
          keyOf={({ path }) => path}
        />
      )}
      {isAdding && (
        <AddDocuments
          product={product}
          known={new Set(documents.map(({ path }) => path))}
          onChange={onChange}
          onClose={() => setAdding(false)}
        />
      )}
      {deleting !== null && (
        <Confirm
          title="Delete the document"
          action="Delete document"
          isBusy={isBusy}
          onConfirm={() => void remove(deleting)}
          onClose={() => setDeleting(null)}
        >
          <p>
            Engines do not find <bdi>{deleting}</bdi> a moment later. Answers that cited it stay as they are.
          </p>
        </Confirm>
      )}
    </section>
  );
};

const columnsOf = (product: string, remove: ((path: string) => void) | null): readonly Column<KnowledgeDocument>[] => [
  {
    title: "Document",
    kind: "wide",
    cell: ({ path }) => (
      <a href={knowledgeLink(product, { document: path })}>
        <bdi>{path}</bdi>
      </a>
    ),
  },
  { title: "Title", isRare: true, cell: ({ title }) => <bdi>{title}</bdi> },
  { title: "Type", isExtra: true, cell: ({ media_type: type }) => TYPES[type] },
  { title: "Size", kind: "number", cell: ({ bytes }) => formatBytes(bytes) },
  { title: "Passages", kind: "number", isExtra: true, cell: ({ passages }) => formatCount(passages) },
  { title: "Changed", cell: ({ updated_at: at }) => <Ago at={at} /> },
  { title: "By", isRare: true, cell: ({ actor }) => actor },
  {
    title: "Actions",
    kind: "actions",
    cell: ({ path }) =>
      remove !== null && (
        <button type="button" class="small danger" aria-label={`Delete ${path}`} onClick={() => remove(path)}>
          Delete
        </button>
      ),
  },
];
