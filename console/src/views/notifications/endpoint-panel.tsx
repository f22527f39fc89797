import type { NotificationEndpoint } from "@orchd/client";
import { useState } from "preact/hooks";
import { useAction } from "../../parts/action.ts";
import { Confirm } from "../../parts/confirm.tsx";
import { Fact } from "../../parts/fact.tsx";
import { Copy } from "../../parts/copy.tsx";
import { TextField } from "../../parts/field.tsx";
import { SecretDialog } from "../../parts/secret.tsx";
import { linkTo, navigate } from "../../routing/address.ts";
import { productCalls } from "../../session/clients.ts";
import { may } from "../../session/session.ts";
import type { ProductProps } from "../products/with-product.tsx";
import { Deliveries } from "./deliveries.tsx";

interface EndpointProps extends ProductProps {
  readonly endpoint: NotificationEndpoint;
  readonly onChange: () => void;
}

/** One endpoint: what it asks for, what can be done with it, and its deliveries. */
export const EndpointPanel = ({ product, endpoint, onChange }: EndpointProps) => {
  const [changes, setChanges] = useState(0);
  const changed = () => {
    setChanges((count) => count + 1);
    onChange();
  };
  return (
    <section aria-labelledby="endpoint">
      <div class="view-title">
        <h2 id="endpoint">
          <bdi>{endpoint.url}</bdi>
        </h2>
        {may("admin") && <EndpointActions product={product} endpoint={endpoint} onChange={changed} />}
      </div>
      <dl class="facts names">
        <Fact name="Events">{endpoint.events.join(", ")}</Fact>
        <Fact name="Id">
          <code>{endpoint.id}</code> <Copy text={endpoint.id} />
        </Fact>
        {endpoint.paused_reason !== null && <Fact name="Paused by orchd">{endpoint.paused_reason}</Fact>}
      </dl>
      <Deliveries product={product} endpoint={endpoint} changes={changes} onChange={changed} />
    </section>
  );
};

const HOUR_S = 3600;

const EndpointActions = ({ product, endpoint: { id, enabled }, onChange }: EndpointProps) => {
  const calls = productCalls(product.id).notifications;
  const [asking, setAsking] = useState<"rotate" | "delete" | null>(null);
  const [graceH, setGraceH] = useState("1");
  const [secret, setSecret] = useState<string | null>(null);
  const { isBusy, run } = useAction();
  const close = () => setAsking(null);
  const act = async (call: () => Promise<unknown>, done: string) => {
    const isDone = await run(call, done);
    close();
    onChange();
    return isDone;
  };
  const rotate = async () => {
    const graceS = Math.round(Number(graceH) * HOUR_S);
    setSecret((await calls.rotateSecret(id, { graceS })).secret);
  };
  const remove = async () => {
    if (await act(() => calls.delete(id), "The endpoint is deleted."))
      navigate(`/products/${product.slug}/notifications`);
  };
  return (
    <div class="actions">
      <button type="button" disabled={isBusy} onClick={() => void act(() => calls.test(id), "A test is on its way.")}>
        Send a test
      </button>
      <button
        type="button"
        disabled={isBusy}
        onClick={() =>
          void act(
            () => calls.change(id, { enabled: !enabled }),
            enabled ? "The endpoint is paused." : "The endpoint continues.",
          )
        }
      >
        {enabled ? "Pause" : "Resume"}
      </button>
      <button type="button" onClick={() => setAsking("rotate")}>
        Rotate secret
      </button>
      <button type="button" class="danger" onClick={() => setAsking("delete")}>
        Delete endpoint
      </button>
      {asking === "rotate" && (
        <Confirm
          title="Rotate the secret"
          action="Rotate secret"
          isBusy={isBusy}
          onConfirm={() => void act(rotate, "The endpoint has a new secret.")}
          onClose={close}
        >
          <p>The new secret is shown once.</p>
          <TextField
            label="Messages are signed with the current one too, for"
            value={graceH}
            onInput={setGraceH}
            unit="hours"
            inputMode="decimal"
            hint="0 ends it at once. At most 24."
          />
        </Confirm>
      )}
      {asking === "delete" && (
        <Confirm
          title="Delete this endpoint"
          action="Delete endpoint"
          isBusy={isBusy}
          onConfirm={() => void remove()}
          onClose={close}
        >
          <p>
            Its messages are deleted too, also those that wait. <a href={linkTo("/events")}>Events</a> stay.
          </p>
        </Confirm>
      )}
      {secret !== null && (
        <SecretDialog
          title="New secret"
          secret={secret}
          note="The product's service verifies messages with it. It is not shown again."
          onClose={() => setSecret(null)}
        />
      )}
    </div>
  );
};
