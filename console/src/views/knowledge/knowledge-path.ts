import { linkTo } from "../../routing/address.ts";

/** The address of a product's documents, of one of them, or of a question. */
export const knowledgeLink = (
  product: string,
  query: { readonly document?: string; readonly q?: string } = {},
): string =>
  linkTo(
    `/products/${product}/knowledge${Object.keys(query).length === 0 ? "" : `?${new URLSearchParams(query).toString()}`}`,
  );
