import type { ProductRecord } from "@orchd/client";
import { engines, products } from "../../live/fleet.ts";
import { Empty } from "../../parts/empty.tsx";
import { NONE, formatCount } from "../../parts/format.ts";
import { type Column, Table } from "../../parts/table.tsx";
import { Ago } from "../../parts/time.tsx";
import { linkTo } from "../../routing/address.ts";
import { may } from "../../session/session.ts";

const engineCount = (productId: string): number =>
  [...(engines.value?.values() ?? [])].filter(({ product_id }) => product_id === productId).length;

const statusOf = ({ policy, deletion }: ProductRecord): string =>
  deletion !== undefined ? "deleting" : policy.suspended ? "suspended" : "active";

const COLUMNS: readonly Column<ProductRecord>[] = [
  { title: "Product", cell: ({ slug }) => <a href={linkTo(`/products/${slug}`)}>{slug}</a> },
  { title: "Name", kind: "wide", isExtra: true, cell: ({ name }) => <bdi>{name ?? NONE}</bdi> },
  { title: "Engines", kind: "number", cell: ({ id }) => formatCount(engineCount(id)) },
  { title: "Limit", kind: "number", cell: ({ policy }) => formatCount(policy.max_engines) },
  { title: "Status", cell: statusOf },
  {
    title: "Key",
    isExtra: true,
    cell: ({ platform_key: { prefix, last4 } }) => <code>{prefix === null ? NONE : `${prefix}…${last4 ?? ""}`}</code>,
  },
  { title: "Created", kind: "number", isExtra: true, cell: ({ created_at }) => <Ago at={created_at} /> },
];

/** Every product. */
export const Products = () => (
  <>
    <div class="view-title">
      <h1>Products</h1>
      {may("admin") && (
        <div class="actions">
          <a class="button primary" href={linkTo("/products/new")}>
            Register product
          </a>
        </div>
      )}
    </div>
    {products.value === null ? (
      <p class="dim" aria-busy="true">
        Reading products
      </p>
    ) : products.value.size > 0 ? (
      <Table label="Products" columns={COLUMNS} rows={[...products.value.values()]} keyOf={({ id }) => id} />
    ) : (
      <Empty title="There is no product yet." command="orchctl products register demo">
        <p>A product is an application whose users get engines.</p>
      </Empty>
    )}
  </>
);
