import { useResource } from "../../live/resource.ts";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { address, setQuery } from "../../routing/address.ts";
import { productCalls } from "../../session/clients.ts";
import { type ProductProps, withProduct } from "../products/with-product.tsx";
import { DocumentList } from "./document-list.tsx";
import { DocumentText } from "./document-text.tsx";
import { FoundPassages } from "./found-passages.tsx";

/** The documents that a product's engines search. Of the address `q` is what is asked, and `document` what is shown. */
const Knowledge = ({ product: { id, slug } }: ProductProps) => {
  const { query } = address.value;
  const [asked, path] = [query.get("q") ?? "", query.get("document")];
  const calls = productCalls(id).knowledge;
  const { data, problem, reload } = useResource((signal) => calls.list({ signal }), [id]);
  return (
    <>
      <form
        class="controls ask"
        role="search"
        onSubmit={(event) => {
          event.preventDefault();
          const text = new FormData(event.currentTarget).get("q")?.toString().trim() ?? "";
          setQuery({ q: text, document: "" });
        }}
      >
        <input
          key={asked}
          data-search
          name="q"
          type="search"
          maxlength={2000}
          placeholder="Ask as a user does, such as: how long can I return it?"
          aria-label="Search the documents"
          defaultValue={asked}
        />
        <button type="submit">Search</button>
      </form>
      {problem !== null && <ProblemNote problem={problem} onRetry={reload} />}
      {path !== null && <DocumentText key={path} product={id} path={path} />}
      {path === null && asked !== "" && <FoundPassages product={id} question={asked} />}
      {path === null && asked === "" && data !== null && (
        <DocumentList product={id} slug={slug} knowledge={data} onChange={reload} />
      )}
    </>
  );
};

export const ProductDocuments = withProduct(Knowledge);
