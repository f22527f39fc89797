import type { ProductRecord } from "@orchd/client";
import { products } from "../../live/fleet.ts";

/** A product by its slug or id: null if there is none, undefined until the products were read. */
export function productByName(name: string): ProductRecord | null | undefined {
  if (products.value === null) return undefined;
  const all = [...products.value.values()];
  return all.find(({ id, slug }) => slug === name || id === name) ?? null;
}

/** Replaces one record by what a call returned. */
export function storeProduct(product: ProductRecord): void {
  products.value = new Map(products.value ?? []).set(product.id, product);
}
