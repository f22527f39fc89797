import type { ClaimedDelivery, Room } from "../store/notification-deliveries.ts";

/** Counts the deliveries that are being tried, so that a slow endpoint leaves room for the others. */
export class DeliveriesInFlight {
  readonly #limits: { readonly perEndpoint: number; readonly perProduct: number };
  readonly #byEndpoint = new Map<string, number>();
  readonly #byProduct = new Map<string, number>();

  constructor(limits: { readonly perEndpoint: number; readonly perProduct: number }) {
    this.#limits = limits;
  }

  room(): Room {
    const { perEndpoint, perProduct } = this.#limits;
    const left = (counts: ReadonlyMap<string, number>, limit: number) => ({
      ids: [...counts.keys()],
      left: [...counts.values()].map((count) => limit - count),
      limit,
    });
    return { endpoints: left(this.#byEndpoint, perEndpoint), products: left(this.#byProduct, perProduct) };
  }

  /** Returns how to end it. */
  begin({
    endpoint_id: endpoint,
    product_id: product,
  }: Pick<ClaimedDelivery, "endpoint_id" | "product_id">): () => void {
    add(this.#byEndpoint, endpoint, 1);
    add(this.#byProduct, product, 1);
    return () => {
      add(this.#byEndpoint, endpoint, -1);
      add(this.#byProduct, product, -1);
    };
  }
}

function add(counts: Map<string, number>, id: string, change: number): void {
  const count = (counts.get(id) ?? 0) + change;
  if (count === 0) counts.delete(id);
  else counts.set(id, count);
}
