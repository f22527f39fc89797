import type { ClaimedDelivery, Room } from "../store/notification-deliveries.ts";

interface Limits {
  /** Of an endpoint that has not accepted anything yet, or has just failed. */
  readonly first: number;
  readonly perEndpoint: number;
  readonly perProduct: number;
}

/**
 * Counts the deliveries that are being tried. An endpoint gains room by each that it accepts, and loses it by a failure, so
 * that many which hang leave room for one that does not.
 */
export class DeliveriesInFlight {
  readonly #limits: Limits;
  readonly #byEndpoint = new Map<string, number>();
  readonly #byProduct = new Map<string, number>();
  /** Of endpoints that have more room than the first. */
  readonly #gained = new Map<string, number>();

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  room(): Room {
    const { first, perProduct } = this.#limits;
    const endpoints = [...new Set([...this.#byEndpoint.keys(), ...this.#gained.keys()])];
    const products = [...this.#byProduct.keys()];
    return {
      endpoints: {
        ids: endpoints,
        left: endpoints.map((id) => this.#roomOf(id) - (this.#byEndpoint.get(id) ?? 0)),
        limit: first,
      },
      products: {
        ids: products,
        left: products.map((id) => perProduct - (this.#byProduct.get(id) ?? 0)),
        limit: perProduct,
      },
    };
  }

  /** Returns how to end it. */
  begin({
    endpoint_id: endpoint,
    product_id: product,
  }: Pick<ClaimedDelivery, "endpoint_id" | "product_id">): (isAccepted: boolean) => void {
    add(this.#byEndpoint, endpoint, 1);
    add(this.#byProduct, product, 1);
    return (isAccepted) => {
      add(this.#byEndpoint, endpoint, -1);
      add(this.#byProduct, product, -1);
      if (isAccepted) this.#gained.set(endpoint, Math.min(this.#roomOf(endpoint) + 1, this.#limits.perEndpoint));
      else this.#gained.delete(endpoint);
    };
  }

  #roomOf(endpoint: string): number {
    return this.#gained.get(endpoint) ?? this.#limits.first;
  }
}

function add(counts: Map<string, number>, id: string, change: number): void {
  const count = (counts.get(id) ?? 0) + change;
  if (count === 0) counts.delete(id);
  else counts.set(id, count);
}
