import { useState } from "preact/hooks";
import { asProblem, fieldProblem } from "../../parts/problem.ts";
import { TextField } from "../../parts/field.tsx";
import { SecretDialog } from "../../parts/secret.tsx";
import { linkTo, navigate } from "../../routing/address.ts";
import { admin } from "../../session/clients.ts";
import { hashOf, newPlatformKey } from "./platform-key.ts";
import { storeProduct } from "./product-by-name.ts";

const SLUG = /^[a-z0-9](-?[a-z0-9]){0,62}$/;

interface Problem {
  readonly field: string;
  readonly text: string;
}

/** Registers a product. The key that it then has is made in this browser. */
export const RegisterProduct = () => {
  const [slug, setSlug] = useState("");
  const [name, setName] = useState("");
  const [problem, setProblem] = useState<Problem | null>(null);
  const [isBusy, setBusy] = useState(false);
  const [key, setKey] = useState<string | null>(null);
  const problemOf = (field: string) => (problem?.field === field ? problem.text : null);
  const submit = async () => {
    if (!SLUG.test(slug))
      return setProblem({ field: "slug", text: "expected 1 to 63 of a-z, 0-9 and single inner hyphens" });
    setProblem(null);
    setBusy(true);
    try {
      const made = newPlatformKey();
      const { platform_api_key: _, ...product } = await admin.registerProduct({
        slug,
        name: name.trim() === "" ? undefined : name.trim(),
        key: await hashOf(made),
      });
      storeProduct(product);
      setKey(made);
    } catch (error) {
      const failure = asProblem(error);
      setProblem(
        fieldProblem(failure) ?? {
          field: failure.code === "PRODUCT_ALREADY_EXISTS" ? "slug" : "",
          text: failure.message,
        },
      );
    }
    setBusy(false);
  };
  return (
    <>
      <p class="crumbs">
        <a href={linkTo("/products")}>Products</a>
      </p>
      <h1>Register a product</h1>
      <form
        class="narrow"
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <TextField
          label="Slug"
          value={slug}
          onInput={setSlug}
          problem={problemOf("slug")}
          hint="Names the product in calls and addresses. It cannot be changed."
          autoFocus
          isCode
        />
        <TextField
          label="Name"
          value={name}
          onInput={setName}
          problem={problemOf("name")}
          hint="For people. Optional."
        />
        {problemOf("") !== null && (
          <p class="field-problem" role="alert">
            {problemOf("")}
          </p>
        )}
        <div class="form-actions">
          <button type="submit" class="primary" disabled={isBusy}>
            Register
          </button>
          <span class="dim">The platform key is made in this browser. Only its hash is sent.</span>
        </div>
      </form>
      {key !== null && (
        <SecretDialog
          title="Platform key"
          secret={key}
          note="The product's backend sends it with each call. The daemon keeps only its hash, so it is not shown again."
          onClose={() => navigate(`/products/${slug}`)}
        />
      )}
    </>
  );
};
