import type { ProductRecord } from "@orchd/client";
import { useState } from "preact/hooks";
import { engines } from "../../live/fleet.ts";
import { useAction } from "../../parts/action.ts";
import { Confirm } from "../../parts/confirm.tsx";
import { TextField } from "../../parts/field.tsx";
import { formatCount } from "../../parts/format.ts";
import { SecretDialog } from "../../parts/secret.tsx";
import { linkTo, navigate } from "../../routing/address.ts";
import { admin } from "../../session/clients.ts";
import { may } from "../../session/session.ts";
import type { ViewProps } from "../view.ts";
import { hashOf, newPlatformKey } from "./platform-key.ts";
import { productByName, storeProduct } from "./product-by-name.ts";

/** Which product the view is about, and what can be done with it. */
export const ProductHeader = ({ params }: ViewProps) => {
  const product = productByName(params["product"] ?? "");
  return (
    <header class="view-header">
      <p class="crumbs">
        <a href={linkTo("/products")}>Products</a>
      </p>
      <div class="view-title">
        <h1>{product?.slug ?? "Product"}</h1>
        {product?.name !== null && product?.name !== undefined && <bdi class="dim">{product.name}</bdi>}
        {product?.policy.suspended === true && <span class="state failed">suspended</span>}
        {product?.deletion !== undefined && <span class="state failed">being deleted</span>}
        {product !== null && product !== undefined && (
          <a href={linkTo(`/?product=${product.slug}`)}>
            {formatCount(
              [...(engines.value?.values() ?? [])].filter(({ product_id }) => product_id === product.id).length,
            )}{" "}
            engines
          </a>
        )}
        {product !== null && product !== undefined && may("admin") && <ProductActions product={product} />}
      </div>
    </header>
  );
};

const HOUR_S = 3600;

const ProductActions = ({ product }: { readonly product: ProductRecord }) => {
  const [asking, setAsking] = useState<"rotate" | "delete" | null>(null);
  const [graceH, setGraceH] = useState("24");
  const [key, setKey] = useState<string | null>(null);
  const { isBusy, run } = useAction();
  const close = () => setAsking(null);
  const rotate = async () => {
    const made = newPlatformKey();
    const graceS = Math.round(Number(graceH) * HOUR_S);
    const isDone = await run(
      async () => storeProduct(await admin.setPlatformKeyHash(product.slug, { ...(await hashOf(made)), graceS })),
      "The product has a new platform key.",
    );
    if (isDone) setKey(made);
    close();
  };
  const remove = async () => {
    if (await run(() => admin.deleteProduct(product.slug, { force: true }), "The product is deleted."))
      navigate("/products");
    else close();
  };
  return (
    <div class="actions">
      <button type="button" onClick={() => setAsking("rotate")}>
        Rotate key
      </button>
      <button type="button" class="danger" onClick={() => setAsking("delete")}>
        Delete
      </button>
      {asking === "rotate" && (
        <Confirm
          title="Rotate the platform key"
          action="Rotate key"
          isBusy={isBusy}
          onConfirm={() => void rotate()}
          onClose={close}
        >
          <p>The new key is made in this browser and shown once. Only its hash is sent to the daemon.</p>
          <TextField
            label="The current key stays valid for"
            value={graceH}
            onInput={setGraceH}
            unit="hours"
            inputMode="decimal"
            hint="0 ends it at once. At most 720."
          />
        </Confirm>
      )}
      {asking === "delete" && (
        <Confirm
          title="Delete this product"
          action="Delete product, engines and data"
          typed={product.slug}
          isBusy={isBusy}
          onConfirm={() => void remove()}
          onClose={close}
        >
          <p>This destroys the engines of all its users with their data. It cannot be undone.</p>
        </Confirm>
      )}
      {key !== null && (
        <SecretDialog
          title="New platform key"
          secret={key}
          note="The daemon keeps only its hash, so this key is not shown again."
          onClose={() => setKey(null)}
        />
      )}
    </div>
  );
};
