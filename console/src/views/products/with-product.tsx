import type { ProductRecord } from "@orchd/client";
import type { ComponentType } from "preact";
import { Empty } from "../../parts/empty.tsx";
import { linkTo } from "../../routing/address.ts";
import type { ViewProps } from "../view.ts";
import { productByName } from "./product-by-name.ts";

export interface ProductProps {
  readonly product: ProductRecord;
}

/** A view of one product, which the path names. */
export const withProduct = (View: ComponentType<ProductProps & ViewProps>): ComponentType<ViewProps> =>
  function OfProduct({ params }: ViewProps) {
    const product = productByName(params["product"] ?? "");
    if (product === undefined)
      return (
        <p class="dim" aria-busy="true">
          Reading the product
        </p>
      );
    return product === null ? (
      <Empty title="There is no such product.">
        <p>
          <a href={linkTo("/products")}>Open the products</a>
        </p>
      </Empty>
    ) : (
      <View product={product} params={params} />
    );
  };
