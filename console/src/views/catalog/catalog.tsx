import type { ProductRecord } from "@orchd/client";
import { useResource } from "../../live/resource.ts";
import { Empty } from "../../parts/empty.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { address, linkTo } from "../../routing/address.ts";
import { productCalls } from "../../session/clients.ts";
import { may } from "../../session/session.ts";
import { type ProductProps, withProduct } from "../products/with-product.tsx";
import { CatalogFiles } from "./catalog-files.tsx";
import { VersionDiff, filesOfVersion } from "./version-diff.tsx";
import { Versions } from "./versions.tsx";

/** The catalog of a product: its files, which can be changed and pushed, and its versions. */
const Catalog = ({ product }: ProductProps) => {
  const { query } = address.value;
  const [from, to] = [versionIn(query.get("from")), versionIn(query.get("to"))];
  if (from === null || to === null) return <Current product={product} />;
  return (
    <>
      <p>
        <a href={linkTo(`/products/${product.slug}/catalog`)}>All versions</a>
      </p>
      <VersionDiff product={product} from={from} to={to} />
    </>
  );
};

const versionIn = (text: string | null): number | null =>
  text !== null && /^\d{1,9}$/.test(text) ? Number(text) : null;

const Current = ({ product }: { readonly product: ProductRecord }) => {
  const { data, problem, reload } = useResource(
    async (signal) => {
      const calls = productCalls(product.id).catalog;
      const [{ versions }, { version }] = await Promise.all([calls.history({ signal }), calls.get({ signal })]);
      // An archive has the secrets of its files: only an admin reads it.
      const files = may("admin") ? await filesOfVersion(product.id, version, signal) : null;
      return { versions, version, files };
    },
    [product.id],
  );
  if (problem !== null) return <ProblemNote problem={problem} onRetry={reload} />;
  if (data === null)
    return (
      <p class="dim" aria-busy="true">
        Reading the catalog
      </p>
    );
  const { versions, version, files } = data;
  const isEmpty = versions.every((one) => one.version === 0);
  return (
    <>
      {isEmpty && (
        <Empty
          title="No catalog was pushed for this product."
          command={`orchctl catalog push ./catalog --product ${product.slug}`}
        >
          <p>
            Its engines have the agents, skills and tools of orchd. To add those of the product, push a folder
            {files === null ? ":" : ", or write a file here:"}
          </p>
        </Empty>
      )}
      {files !== null && <CatalogFiles product={product} version={version} files={files} onPushed={reload} />}
      {!isEmpty && <Versions product={product} versions={versions} current={version} onChanged={reload} />}
    </>
  );
};

export const ProductCatalog = withProduct(Catalog);
