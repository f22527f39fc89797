import type { NotificationDelivery, NotificationEndpoint } from "@orchd/client";
import { useEffect, useState } from "preact/hooks";
import { useResource } from "../../live/resource.ts";
import { usePolling } from "../../live/samples.ts";
import { useAction } from "../../parts/action.ts";
import { Empty } from "../../parts/empty.tsx";
import { formatCount } from "../../parts/format.ts";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { Ago } from "../../parts/time.tsx";
import { productCalls } from "../../session/clients.ts";
import { may } from "../../session/session.ts";
import type { ProductProps } from "../products/with-product.tsx";

const REFRESH_MS = 5000;
const MAX_SHOWN = 100;
const STATES = [
  ["", "All"],
  ["pending", "Waiting"],
  ["dead", "Given up"],
  ["delivered", "Accepted"],
] as const;
type Shown = (typeof STATES)[number][0];

interface DeliveriesProps extends ProductProps {
  readonly endpoint: NotificationEndpoint;
  /** They are read again when it grows. */
  readonly changes: number;
  readonly onChange: () => void;
}

/** The messages of an endpoint, the newest first. */
export const Deliveries = ({ product, endpoint: { id, dead }, changes, onChange }: DeliveriesProps) => {
  const calls = productCalls(product.id).notifications;
  const [shown, setShown] = useState<Shown>("");
  const { isBusy, run } = useAction();
  const {
    data: items,
    problem,
    reload,
  } = useResource(
    async (signal) => {
      const found: NotificationDelivery[] = [];
      const state = shown === "" ? undefined : shown;
      for await (const delivery of calls.deliveries(id, { state, pageSize: MAX_SHOWN, signal })) {
        found.push(delivery);
        if (found.length === MAX_SHOWN) break;
      }
      return found;
    },
    [id, shown],
  );
  useEffect(() => {
    if (changes > 0) reload();
  }, [changes]);
  const hasWaiting = items?.some(({ state }) => state === "pending") ?? false;
  usePolling(() => hasWaiting && reload(), REFRESH_MS);
  const replay = async (deliveryId: string | undefined, done: string) => {
    await run(() => calls.replay(id, { deliveryId }), done);
    onChange();
  };
  const columns: readonly Column<NotificationDelivery>[] = [
    {
      title: "Event",
      kind: "wide",
      cell: ({ type, last_error: error }) => (
        <>
          <code>{type}</code> {error !== null && <bdi class="dim">{error}</bdi>}
        </>
      ),
    },
    { title: "State", cell: ({ state }) => STATES.find(([name]) => name === state)?.[1].toLowerCase() },
    { title: "Tries", kind: "number", cell: ({ attempts }) => formatCount(attempts) },
    {
      title: "Next try",
      isExtra: true,
      // One that was not tried yet waits for those before it, whatever its time.
      cell: ({ attempts, next_try_at: at }) => (attempts === 0 && at !== null ? "in its turn" : <Ago at={at} />),
    },
    { title: "Taken", isExtra: true, cell: ({ created_at }) => <Ago at={created_at} /> },
    {
      title: "Actions",
      kind: "actions",
      cell: ({ id: delivery, state }) =>
        may("admin") &&
        state !== "pending" && (
          <button
            type="button"
            class="small"
            disabled={isBusy}
            onClick={() => void replay(delivery, "The message is sent again.")}
          >
            Replay
          </button>
        ),
    },
  ];
  return (
    <>
      <div class="controls">
        <div class="chips" role="group" aria-label="Messages that are shown">
          {STATES.map(([name, label]) => (
            <button key={name} type="button" class="chip" aria-pressed={shown === name} onClick={() => setShown(name)}>
              {label}
            </button>
          ))}
        </div>
        {may("admin") && dead > 0 && (
          <button
            type="button"
            disabled={isBusy}
            onClick={() => void replay(undefined, "The messages that were given up are sent again.")}
          >
            Replay all given up
          </button>
        )}
      </div>
      {problem !== null && <ProblemNote problem={problem} onRetry={reload} />}
      {items !== null && items.length === 0 && <Empty title="There is no such message." />}
      {items !== null && items.length > 0 && (
        <Table label="Messages" columns={columns} rows={items} keyOf={(one) => one.id} />
      )}
      {items?.length === MAX_SHOWN && <p class="dim">The newest {MAX_SHOWN} are shown.</p>}
    </>
  );
};
