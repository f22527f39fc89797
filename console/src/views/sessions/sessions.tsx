import type { SessionPerson, SessionRecord } from "@orchd/client";
import { useResource } from "../../live/resource.ts";
import { useAction } from "../../parts/action.ts";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { Ago } from "../../parts/time.tsx";
import { admin } from "../../session/clients.ts";
import { may } from "../../session/session.ts";

const OPENERS = { admin_key: "admin key", link: "link", oidc: "identity provider" } as const;
const nameOf = ({ name, email, subject }: SessionPerson): string => email ?? name ?? subject;

/** Who is signed in to the console. A session can be revoked. */
export const Sessions = () => {
  const { data, problem, reload } = useResource(readSessions, []);
  const { isBusy, run } = useAction();
  const revoke = async (id: string) => {
    await run(() => admin.endSession(id), "The session is revoked.");
    reload();
  };
  const columns: readonly Column<SessionRecord>[] = [
    {
      title: "Session",
      cell: ({ id, is_current }) => (
        <>
          {/* The first digits are of the time: those of sessions that were opened together are alike. */}
          <code title={id} class={is_current ? "extra" : undefined}>
            ses_…{id.slice(-8)}
          </code>{" "}
          {is_current && <span class="dim">this browser</span>}
        </>
      ),
    },
    { title: "Person", cell: ({ person }) => person !== null && <bdi title={person.subject}>{nameOf(person)}</bdi> },
    { title: "Role", cell: ({ role }) => role },
    { title: "Opened by", isExtra: true, cell: ({ opened_by }) => OPENERS[opened_by] },
    { title: "Opened", isExtra: true, cell: ({ created_at }) => <Ago at={created_at} /> },
    { title: "Last used", isExtra: true, cell: ({ last_used_at }) => <Ago at={last_used_at} /> },
    { title: "Ends", isExtra: true, kind: "wide", cell: ({ expires_at }) => <Ago at={expires_at} /> },
    {
      title: "Actions",
      kind: "actions",
      cell: ({ id, is_current }) =>
        !is_current &&
        may("admin") && (
          <button type="button" class="small danger" disabled={isBusy} onClick={() => void revoke(id)}>
            Revoke
          </button>
        ),
    },
  ];
  return (
    <>
      <h1>Sessions</h1>
      {problem !== null && <ProblemNote problem={problem} onRetry={reload} />}
      {data !== null && <Table label="Sessions" columns={columns} rows={data} keyOf={({ id }) => id} />}
    </>
  );
};

async function readSessions(signal: AbortSignal): Promise<readonly SessionRecord[]> {
  const found: SessionRecord[] = [];
  for await (const session of admin.listSessions({ signal })) found.push(session);
  return found;
}
