import type { ProfileLine } from "@orchd/client";
import { useState } from "preact/hooks";
import { useResource } from "../../live/resource.ts";
import { useAction } from "../../parts/action.ts";
import { Confirm } from "../../parts/confirm.tsx";
import { Empty } from "../../parts/empty.tsx";
import { formatBytes } from "../../parts/format.ts";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { Ago } from "../../parts/time.tsx";
import { engineCalls } from "../../session/clients.ts";
import { CorrectLine } from "./correct-line.tsx";
import type { MemoryProps } from "./memory-props.ts";

const SECTIONS: Readonly<Record<ProfileLine["section"], string>> = {
  about: "About",
  people: "People",
  work: "Work",
  preferences: "Preferences",
  plans: "Plans",
};

/** The profile page of a user, which the model is shown in each conversation. A person corrects and deletes its lines. */
export const ProfilePage = ({ engine: { id, user_id: user } }: MemoryProps) => {
  const calls = engineCalls(id);
  const { data, problem, reload } = useResource((signal) => calls.profile({ signal }), [id]);
  const { isBusy, run } = useAction();
  const [correcting, setCorrecting] = useState<ProfileLine | null>(null);
  const [deleting, setDeleting] = useState<ProfileLine | null>(null);
  const act = async (call: () => Promise<unknown>, done: string) => {
    if (!(await run(call, done))) return;
    setCorrecting(null);
    setDeleting(null);
    reload();
  };
  return (
    <>
      {problem !== null && <ProblemNote problem={problem} onRetry={reload} />}
      {data !== null && data.lines.length === 0 && (
        <Empty title="The profile page is empty." command={`orchctl memory learn ${user}`}>
          <p>A learning batch writes what the user has said of themselves. It runs by itself after 20 turns, or by:</p>
        </Empty>
      )}
      {data !== null && data.lines.length > 0 && (
        <>
          <p class="memory-note dim">
            The agent reads these lines in each conversation: {formatBytes(data.bytes)} of {formatBytes(data.max_bytes)}
            .
          </p>
          <Table
            label="Profile"
            columns={columnsOf(setCorrecting, setDeleting)}
            rows={data.lines}
            keyOf={({ id: line }) => line}
          />
        </>
      )}
      {correcting !== null && (
        <CorrectLine
          line={correcting}
          isBusy={isBusy}
          onSave={(text) => void act(() => calls.correctProfileLine(correcting.id, text), "The line is corrected.")}
          onClose={() => setCorrecting(null)}
        />
      )}
      {deleting !== null && (
        <Confirm
          title="Delete the line"
          action="Delete line"
          isBusy={isBusy}
          onConfirm={() => void act(() => calls.deleteProfileLine(deleting.id), "The line is deleted.")}
          onClose={() => setDeleting(null)}
        >
          <p>
            <bdi>{deleting.text}</bdi>
          </p>
          <p class="dim">The rounds that it derives from stay in the memory.</p>
        </Confirm>
      )}
    </>
  );
};

const columnsOf = (
  correct: (line: ProfileLine) => void,
  remove: (line: ProfileLine) => void,
): readonly Column<ProfileLine>[] => [
  { title: "Section", cell: ({ section }) => SECTIONS[section] },
  { title: "Line", kind: "wide", cell: ({ text }) => <bdi>{text}</bdi> },
  { title: "Written by", isExtra: true, cell: ({ origin }) => (origin === "person" ? "a person" : "learning") },
  { title: "Written", isExtra: true, cell: ({ updated_at: at }) => <Ago at={at} /> },
  {
    title: "Actions",
    kind: "actions",
    cell: (line) => (
      <>
        <button type="button" class="small" aria-label={`Correct: ${line.text}`} onClick={() => correct(line)}>
          Correct
        </button>{" "}
        <button type="button" class="small danger" aria-label={`Delete: ${line.text}`} onClick={() => remove(line)}>
          Delete
        </button>
      </>
    ),
  },
];
