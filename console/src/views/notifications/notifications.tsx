import type { NotificationEndpoint } from "@orchd/client";
import { useResource } from "../../live/resource.ts";
import { usePolling } from "../../live/samples.ts";
import { Empty } from "../../parts/empty.tsx";
import { formatCount } from "../../parts/format.ts";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { Ago } from "../../parts/time.tsx";
import { address, linkTo } from "../../routing/address.ts";
import { productCalls } from "../../session/clients.ts";
import { type ProductProps, withProduct } from "../products/with-product.tsx";
import { EndpointPanel } from "./endpoint-panel.tsx";
import { EndpointState } from "./endpoint-state.tsx";

const REFRESH_MS = 5000;

/** The addresses that are told of events: `endpoint` of the address is the one that is shown below them. */
const Notifications = ({ product }: ProductProps) => {
  const calls = productCalls(product.id).notifications;
  const { data, problem, reload } = useResource((signal) => calls.list({ signal }), [product.id]);
  usePolling(reload, REFRESH_MS);
  const shown = data?.find(({ id }) => id === address.value.query.get("endpoint"));
  return (
    <>
      {problem !== null && <ProblemNote problem={problem} onRetry={reload} />}
      {data !== null &&
        (data.length > 0 ? (
          <Table label="Endpoints" columns={columnsOf(product.slug)} rows={data} keyOf={({ id }) => id} />
        ) : (
          <Empty
            title="No service of this product is told of events."
            command={`orchctl notifications create https://api.example.com/orchd --events turn.completed,engine.gave_up --product ${product.slug}`}
          >
            <p>An endpoint gets a signed message for each event that it asks for. To create one:</p>
          </Empty>
        ))}
      {shown !== undefined && <EndpointPanel key={shown.id} product={product} endpoint={shown} onChange={reload} />}
    </>
  );
};

const columnsOf = (product: string): readonly Column<NotificationEndpoint>[] => [
  {
    title: "Address",
    kind: "wide",
    cell: ({ id, url }) => (
      <a href={linkTo(`/products/${product}/notifications?endpoint=${id}`)}>
        <bdi>{url}</bdi>
      </a>
    ),
  },
  { title: "State", cell: (endpoint) => <EndpointState endpoint={endpoint} /> },
  { title: "Last accepted", isExtra: true, cell: ({ last_delivered_at: at }) => <Ago at={at} /> },
  { title: "Waiting", kind: "number", cell: ({ pending }) => formatCount(pending) },
  { title: "Given up", kind: "number", cell: ({ dead }) => formatCount(dead) },
];

export const ProductNotifications = withProduct(Notifications);
