import { useState } from "preact/hooks";
import { useAction } from "../../parts/action.ts";
import { Confirm } from "../../parts/confirm.tsx";
import { saveBlob } from "../../parts/save.ts";
import { engineCalls } from "../../session/clients.ts";
import { may } from "../../session/session.ts";
import { navigate } from "../../routing/address.ts";
import type { MemoryProps } from "./memory-props.ts";

/** Learn now, export and erase. */
export const MemoryActions = ({ engine: { id, user_id: user } }: MemoryProps) => {
  const calls = engineCalls(id);
  const { isBusy, run } = useAction();
  const [isErasing, setErasing] = useState(false);
  const learn = async () => {
    if (await run(() => calls.triggerLearning(), "The learning batch has ended.")) navigate(`/engines/${id}/memory`);
  };
  const erase = async () => {
    if (await run(() => calls.eraseMemory(), "The memory is erased.")) navigate(`/engines/${id}/memory`);
    setErasing(false);
  };
  return (
    <>
      <button type="button" disabled={isBusy} onClick={() => void learn()}>
        Learn now
      </button>
      <button type="button" disabled={isBusy} onClick={() => void run(() => download(id), "The export is saved.")}>
        Export
      </button>
      {may("admin") && (
        <button type="button" class="danger" onClick={() => setErasing(true)}>
          Erase
        </button>
      )}
      {isErasing && (
        <Confirm
          title="Erase the memory?"
          action="Erase"
          typed={user}
          isBusy={isBusy}
          onConfirm={() => void erase()}
          onClose={() => setErasing(false)}
        >
          <p>All conversations, facts, rounds and notes of this user are erased. The files of the engine stay.</p>
        </Confirm>
      )}
    </>
  );
};

/** Saves the export as a file, as `orchctl memory export` writes it. */
async function download(engineId: string): Promise<void> {
  const lines: string[] = [];
  for await (const line of engineCalls(engineId).exportMemory()) lines.push(`${JSON.stringify(line)}\n`);
  saveBlob(new Blob(lines, { type: "application/x-ndjson" }), `memory-${engineId}.jsonl`);
}
