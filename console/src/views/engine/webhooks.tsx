import type { WebhookRecord } from "@orchd/client";
import { useState } from "preact/hooks";
import { useResource } from "../../live/resource.ts";
import { useAction } from "../../parts/action.ts";
import { Confirm } from "../../parts/confirm.tsx";
import { Copy } from "../../parts/copy.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Empty } from "../../parts/empty.tsx";
import { TextField } from "../../parts/field.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { SecretDialog } from "../../parts/secret.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { productCalls } from "../../session/clients.ts";
import { LastRun } from "./last-run.tsx";

interface WebhooksProps {
  readonly engine: string;
  readonly product: string;
  readonly user: string;
}

/** The addresses at which other services start turns of the engine. */
export const Webhooks = ({ engine, product, user }: WebhooksProps) => {
  const calls = productCalls(product).webhooks;
  const { isBusy, run } = useAction();
  const [isCreating, setCreating] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  const [deleted, setDeleted] = useState<WebhookRecord | null>(null);
  const { data, problem, reload } = useResource(
    async (signal) => {
      const found: WebhookRecord[] = [];
      for await (const webhook of calls.list(user, { signal })) found.push(webhook);
      return found;
    },
    [product, user],
  );
  const act = async (call: () => Promise<unknown>, done: string) => {
    const isDone = await run(call, done);
    reload();
    return isDone;
  };
  const create = async (name: string, template: string) => {
    const isDone = await act(async () => {
      const made = await calls.create(user, { name, template });
      setSecret(made.secret);
    }, "The webhook is created.");
    if (isDone) setCreating(false);
  };
  return (
    <section aria-labelledby="webhooks">
      <div class="section-head">
        <h2 id="webhooks">Webhooks</h2>
        <button type="button" class="small" onClick={() => setCreating(true)}>
          New webhook
        </button>
      </div>
      {problem !== null && <ProblemNote problem={problem} onRetry={reload} />}
      {data !== null &&
        (data.length > 0 ? (
          <Table
            label="Webhooks"
            columns={columnsOf({
              engine,
              isBusy,
              onSwitch: ({ id, enabled }) =>
                void act(
                  () => calls.change(user, id, { enabled: !enabled }),
                  enabled ? "The webhook refuses messages." : "The webhook takes messages.",
                ),
              onDelete: setDeleted,
            })}
            rows={data}
            keyOf={({ id }) => id}
          />
        ) : (
          <Empty title="This engine has no webhook.">
            <p>A webhook is an address and a secret with which another service starts a turn.</p>
          </Empty>
        ))}
      {isCreating && (
        <CreateWebhook
          isBusy={isBusy}
          onCreate={(name, text) => void create(name, text)}
          onClose={() => setCreating(false)}
        />
      )}
      {secret !== null && (
        <SecretDialog
          title="Secret of the webhook"
          secret={secret}
          note="The other service signs its messages with it. It is not shown again."
          onClose={() => setSecret(null)}
        />
      )}
      {deleted !== null && (
        <Confirm
          title={`Delete the webhook ${deleted.name}`}
          action="Delete webhook"
          isBusy={isBusy}
          onConfirm={() => {
            void act(() => calls.delete(user, deleted.id), "The webhook is deleted.");
            setDeleted(null);
          }}
          onClose={() => setDeleted(null)}
        >
          <p>Its address refuses messages from then on.</p>
        </Confirm>
      )}
    </section>
  );
};

interface RowActions {
  readonly engine: string;
  readonly isBusy: boolean;
  /** Pauses or resumes it. */
  readonly onSwitch: (webhook: WebhookRecord) => void;
  readonly onDelete: (webhook: WebhookRecord) => void;
}

const columnsOf = ({ engine, isBusy, onSwitch, onDelete }: RowActions): readonly Column<WebhookRecord>[] => [
  { title: "Name", cell: ({ name }) => <bdi>{name}</bdi> },
  {
    title: "Address",
    cell: ({ path }) => (
      <>
        <code class="clip">{path}</code> <Copy text={new URL(`..${path}`, document.baseURI).href} />
      </>
    ),
  },
  { title: "Message", kind: "wide", isRare: true, cell: ({ template }) => <bdi class="dim clip">{template}</bdi> },
  {
    title: "Last run",
    isExtra: true,
    cell: ({ last_run: run }) => <LastRun engine={engine} run={run} />,
  },
  {
    title: "Actions",
    kind: "actions",
    cell: (webhook) => (
      <>
        <button
          type="button"
          class="small"
          disabled={isBusy}
          aria-label={`${webhook.enabled ? "Pause" : "Resume"} ${webhook.name}`}
          onClick={() => onSwitch(webhook)}
        >
          {webhook.enabled ? "Pause" : "Resume"}
        </button>{" "}
        <button
          type="button"
          class="small danger"
          disabled={isBusy}
          aria-label={`Delete ${webhook.name}`}
          onClick={() => onDelete(webhook)}
        >
          Delete
        </button>
      </>
    ),
  },
];

interface CreateWebhookProps {
  readonly isBusy: boolean;
  readonly onCreate: (name: string, template: string) => void;
  readonly onClose: () => void;
}

const CreateWebhook = ({ isBusy, onCreate, onClose }: CreateWebhookProps) => {
  const [name, setName] = useState("");
  const [template, setTemplate] = useState("{{payload}}");
  return (
    <Dialog title="New webhook" onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          onCreate(name.trim(), template);
        }}
      >
        <TextField label="Name" value={name} onInput={setName} autoFocus />
        <TextField
          label="Message"
          value={template}
          onInput={setTemplate}
          hint="{{payload}} is what was sent; {{payload.field}} is a field of it."
          isLong
          isCode
        />
        <div class="dialog-actions">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="primary" disabled={isBusy}>
            Create webhook
          </button>
        </div>
      </form>
    </Dialog>
  );
};
