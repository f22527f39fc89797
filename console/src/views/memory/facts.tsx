import type { KnowledgeRecord } from "@orchd/client";
import { useState } from "preact/hooks";
import { usePages } from "../../live/pages.ts";
import { useAction } from "../../parts/action.ts";
import { Confirm } from "../../parts/confirm.tsx";
import { Empty } from "../../parts/empty.tsx";
import { More } from "../../parts/more.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { Ago } from "../../parts/time.tsx";
import { engineCalls } from "../../session/clients.ts";
import type { MemoryProps } from "./memory-props.ts";
import { Validity } from "./validity.tsx";

/** Facts with their validity, source and trust. One that is true no longer can be ended. */
export const Facts = ({ engine: { id, user_id: user } }: MemoryProps) => {
  const calls = engineCalls(id);
  const { items, problem, more, reload } = usePages(
    (cursor, signal) => calls.listMemory("knowledge", { cursor, signal }),
    [id],
  );
  const { isBusy, run } = useAction();
  const [ending, setEnding] = useState<KnowledgeRecord | null>(null);
  const end = async ({ id: fact }: KnowledgeRecord) => {
    if (await run(() => calls.endFact(fact), "The fact has ended.")) reload();
    setEnding(null);
  };
  const columns: readonly Column<KnowledgeRecord>[] = [
    { title: "Fact", kind: "wide", cell: ({ content }) => <bdi>{content}</bdi> },
    { title: "Valid", cell: (fact) => <Validity from={fact.valid_from} to={fact.valid_to} /> },
    { title: "Trust", cell: ({ trust }) => trust },
    { title: "Source", isExtra: true, cell: ({ source }) => source },
    { title: "Evidence", isExtra: true, kind: "number", cell: ({ evidence }) => evidence.length },
    { title: "Learned", isExtra: true, cell: ({ created_at }) => <Ago at={created_at} /> },
    {
      title: "Actions",
      kind: "actions",
      cell: (fact) =>
        fact.invalidated_at === null && (
          <button type="button" class="small" onClick={() => setEnding(fact)}>
            End
          </button>
        ),
    },
  ];
  return (
    <>
      {problem !== null && <ProblemNote problem={problem} onRetry={reload} />}
      {items !== null && items.length === 0 && (
        <Empty title="No fact was learned yet." command={`orchctl memory learn ${user}`}>
          <p>
            A learning batch reads past turns. It runs by itself after 20 turns, with <b>Learn now</b>, or by:
          </p>
        </Empty>
      )}
      {items !== null && items.length > 0 && (
        <Table label="Facts" columns={columns} rows={items} keyOf={({ id }) => id} />
      )}
      <More more={more} />
      {ending !== null && (
        <Confirm
          title="End this fact?"
          action="End the fact"
          isBusy={isBusy}
          onConfirm={() => void end(ending)}
          onClose={() => setEnding(null)}
        >
          <p>
            <bdi>{ending.content}</bdi>
          </p>
          <p class="dim">It stays in the memory as past. The agent no longer takes it for true.</p>
        </Confirm>
      )}
    </>
  );
};
