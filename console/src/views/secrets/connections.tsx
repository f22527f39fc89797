import type { Connection } from "@orchd/client";
import { useState } from "preact/hooks";
import { useResource } from "../../live/resource.ts";
import { useAction } from "../../parts/action.ts";
import { Confirm } from "../../parts/confirm.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { Ago } from "../../parts/time.tsx";
import { productCalls } from "../../session/clients.ts";

interface ConnectionsProps {
  readonly product: string;
  readonly user: string;
  readonly mayChange: boolean;
}

/** Where the user is signed in. Nothing is shown without a login. */
export const Connections = ({ product, user, mayChange }: ConnectionsProps) => {
  const calls = productCalls(product);
  const { data, reload } = useResource((signal) => calls.connections(user, { signal }), [product, user]);
  const { isBusy, run } = useAction();
  const [ending, setEnding] = useState<string | null>(null);
  if (data === null || data.data.length === 0) return null;
  const end = async (server: string) => {
    if (!(await run(() => calls.disconnect(user, server), `The login at ${server} has ended.`))) return;
    setEnding(null);
    reload();
  };
  return (
    <>
      <h2>Logins at tool servers</h2>
      <Table
        label="Logins at tool servers"
        columns={columnsOf(mayChange ? setEnding : null)}
        rows={data.data}
        keyOf={({ server }) => server}
      />
      {ending !== null && (
        <Confirm
          title="End the login"
          action="End login"
          isBusy={isBusy}
          onConfirm={() => void end(ending)}
          onClose={() => setEnding(null)}
        >
          <p>
            The user is asked to sign in at the next use of <code>{ending}</code>.
          </p>
        </Confirm>
      )}
    </>
  );
};

const columnsOf = (end: ((server: string) => void) | null): readonly Column<Connection>[] => [
  { title: "Server", cell: ({ server }) => <code>{server}</code> },
  { title: "State", cell: ({ state }) => (state === "connected" ? "signed in" : "needs a login") },
  { title: "Scopes", kind: "wide", cell: ({ scopes }) => <bdi>{scopes.join(" ")}</bdi> },
  { title: "Since", isExtra: true, cell: ({ connected_at: at }) => <Ago at={at} /> },
  { title: "Used", cell: ({ last_used_at: at }) => <Ago at={at} /> },
  {
    title: "Actions",
    kind: "actions",
    cell: ({ server }) =>
      end !== null && (
        <button type="button" class="small danger" onClick={() => end(server)}>
          End
        </button>
      ),
  },
];
