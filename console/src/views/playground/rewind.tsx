import type { RestoredFiles } from "@orchd/client";
import { useState } from "preact/hooks";
import { useResource } from "../../live/resource.ts";
import { useAction } from "../../parts/action.ts";
import { Confirm } from "../../parts/confirm.tsx";
import { CheckField } from "../../parts/field.tsx";
import { formatCount } from "../../parts/format.ts";
import { notify } from "../../parts/notices.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import type { Conversation } from "./conversation.ts";
import type { Exchange } from "./exchange.ts";

interface RewindProps {
  readonly conversation: Conversation;
  readonly exchange: Exchange;
  /** Called with the message, which may be sent again. */
  readonly onDone: (message: string) => void;
  readonly onClose: () => void;
}

/** Takes a conversation back to before a message. What that does to files is shown first. */
export const Rewind = ({ conversation, exchange, onDone, onClose }: RewindProps) => {
  const preview = useResource(() => conversation.previewRewind(exchange), [exchange.turnId]);
  const [isRestored, setRestored] = useState(true);
  const [isForced, setForced] = useState(false);
  const { isBusy, run } = useAction();
  const files = preview.data?.files ?? null;
  const others = files?.counts.changed_by_others ?? 0;
  const restores = isRestored && files !== null && files.counts.restorable + others > 0;
  const isRefused = restores && others > 0 && !isForced;
  const rewind = async () => {
    const done = await run(async () => {
      const rewound = await conversation.rewind(exchange, { restores, force: isForced });
      const failed = rewound?.files?.counts.failed ?? 0;
      if (failed > 0) notify("problem", `${formatCount(failed)} files could not be restored.`);
    });
    if (!done) return;
    onDone(exchange.message);
    onClose();
  };
  return (
    <Confirm
      title="Rewind to before this message"
      action={restores ? "Rewind and restore files" : "Rewind"}
      isBusy={isBusy || isRefused || preview.data === null}
      onConfirm={() => void rewind()}
      onClose={onClose}
    >
      <p>The message and all after it leave the conversation. They stay stored as a branch.</p>
      {preview.problem !== null && <ProblemNote problem={preview.problem} onRetry={preview.reload} />}
      {preview.data === null && preview.problem === null && (
        <p class="dim" aria-busy="true">
          Comparing files
        </p>
      )}
      {files !== null && <FileChanges files={files} />}
      {files !== null && files.counts.restorable + others > 0 && (
        <CheckField label="Restore the files" isChecked={isRestored} onChange={setRestored} />
      )}
      {restores && others > 0 && (
        <CheckField
          label="Also those that something else has changed"
          hint="Without them nothing is restored."
          isChecked={isForced}
          onChange={setForced}
        />
      )}
    </Confirm>
  );
};

const ACTIONS = {
  write: "gets its earlier content",
  remove: "is removed",
  make_folder: "is made again",
  remove_folder: "is removed if it is empty",
} as const;

const FileChanges = ({ files: { restorable, not_captured, changed_by_others, counts } }: { files: RestoredFiles }) => {
  const isNothing = counts.restorable + counts.not_captured + counts.changed_by_others + counts.not_compared === 0;
  if (isNothing) return <p class="dim">No file was changed since.</p>;
  return (
    <>
      <ul class="file-changes" aria-label="Files" tabIndex={0}>
        {restorable.map(({ path, action }) => (
          <li key={path}>
            <code>{path}</code> {ACTIONS[action]}
          </li>
        ))}
        {changed_by_others.map(({ path, action }) => (
          <li key={path}>
            <code>{path}</code> {ACTIONS[action]}, though something else has changed it
          </li>
        ))}
        {not_captured.map(({ path, reason }) => (
          <li key={path} class="dim">
            <code>{path}</code> stays as it is: {reason.replaceAll("_", " ")}
          </li>
        ))}
      </ul>
      {counts.not_compared > 0 && (
        <p class="dim">{formatCount(counts.not_compared)} calls may have changed other files too.</p>
      )}
    </>
  );
};
