import type { SecretRecord, Secrets, SetUserSecretRequest } from "@orchd/client";
import { useState } from "preact/hooks";
import { engineById } from "../../live/engine.ts";
import { useResource } from "../../live/resource.ts";
import { useAction } from "../../parts/action.ts";
import { Confirm } from "../../parts/confirm.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { Ago } from "../../parts/time.tsx";
import { admin, productCalls } from "../../session/clients.ts";
import { may } from "../../session/session.ts";
import { NoEngine } from "../engine/no-engine.tsx";
import { withProduct } from "../products/with-product.tsx";
import type { ViewProps } from "../view.ts";
import { Connections } from "./connections.tsx";
import { SetSecret } from "./set-secret.tsx";

interface SecretCalls {
  readonly list: (signal: AbortSignal) => Promise<Secrets>;
  readonly set: (name: string, secret: SetUserSecretRequest) => Promise<unknown>;
  readonly remove: (name: string) => Promise<unknown>;
}

interface VaultProps {
  /** Names the owner: another one is read anew. */
  readonly owner: string;
  readonly calls: SecretCalls;
  readonly mayChange: boolean;
}

/** The secrets of a product or a user: where they go and when they were used, never their values. */
const Vault = ({ owner, calls, mayChange }: VaultProps) => {
  const { data, problem, reload } = useResource(calls.list, [owner]);
  const { isBusy, run } = useAction();
  const [isSetting, setSetting] = useState(false);
  const [removing, setRemoving] = useState<string | null>(null);
  const act = async (call: () => Promise<unknown>, done: string) => {
    if (!(await run(call, done))) return;
    setSetting(false);
    setRemoving(null);
    reload();
  };
  return (
    <>
      {mayChange && (
        <div class="actions">
          <button type="button" onClick={() => setSetting(true)}>
            Set a secret
          </button>
        </div>
      )}
      {problem !== null && <ProblemNote problem={problem} onRetry={reload} />}
      {data !== null &&
        (data.secrets.length === 0 ? (
          <p class="dim">There are no secrets.</p>
        ) : (
          <Table
            label="Secrets"
            columns={columnsOf(mayChange ? setRemoving : null)}
            rows={data.secrets}
            keyOf={({ name }) => name}
          />
        ))}
      {isSetting && (
        <SetSecret
          isBusy={isBusy}
          onSet={(name, secret) => void act(() => calls.set(name, secret), `${name} is set.`)}
          onClose={() => setSetting(false)}
        />
      )}
      {removing !== null && (
        <Confirm
          title="Delete the secret"
          action="Delete secret"
          isBusy={isBusy}
          onConfirm={() => void act(() => calls.remove(removing), `${removing} is deleted.`)}
          onClose={() => setRemoving(null)}
        >
          <p>
            Requests that carry <code>{removing}</code> are refused from then on.
          </p>
        </Confirm>
      )}
    </>
  );
};

const columnsOf = (remove: ((name: string) => void) | null): readonly Column<SecretRecord>[] => [
  { title: "Name", cell: ({ name }) => <code>{name}</code> },
  { title: "Hosts", kind: "wide", cell: ({ hosts }) => <bdi>{hosts.join(", ")}</bdi> },
  { title: "Place", isExtra: true, cell: ({ place, header }) => (header === null ? place : `${place} ${header}`) },
  { title: "Value", isExtra: true, cell: ({ from, hash_prefix: hash }) => <code>{from ?? `sha256 ${hash}…`}</code> },
  { title: "Set", isExtra: true, cell: ({ updated_at: at }) => <Ago at={at} /> },
  { title: "Used", cell: ({ last_used_at: at }) => <Ago at={at} /> },
  {
    title: "Actions",
    kind: "actions",
    cell: ({ name }) =>
      remove !== null && (
        <button type="button" class="small danger" onClick={() => remove(name)}>
          Delete
        </button>
      ),
  },
];

export const ProductSecrets = withProduct(({ product: { id } }) => (
  <Vault
    owner={id}
    mayChange={may("admin")}
    calls={{
      list: (signal) => admin.listProductSecrets(id, { signal }),
      set: (name, secret) => admin.setProductSecret(id, name, secret),
      remove: (name) => admin.deleteProductSecret(id, name),
    }}
  />
));

export const EngineSecrets = ({ params }: ViewProps) => {
  const engine = engineById(params["engine"] ?? "");
  if (engine === undefined) return null;
  if (engine === null) return <NoEngine />;
  const { product_id: product, user_id: user } = engine;
  const calls = productCalls(product);
  const mayChange = may("operator");
  return (
    <>
      <Vault
        owner={engine.id}
        mayChange={mayChange}
        calls={{
          list: (signal) => calls.listSecrets(user, { signal }),
          set: (name, secret) => calls.setSecret(user, name, secret),
          remove: (name) => calls.deleteSecret(user, name),
        }}
      />
      <Connections product={product} user={user} mayChange={mayChange} />
    </>
  );
};
