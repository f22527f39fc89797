import type { AttachmentRecord } from "@orchd/client";
import type { Step, TurnUsage } from "../../live/turn-steps.ts";
import { formatBytes, formatCount } from "../../parts/format.ts";

/** What the user wrote, with its files. Nothing for a turn without. */
export const Said = ({ message, files }: { readonly message: string; readonly files: readonly AttachmentRecord[] }) =>
  message === "" && files.length === 0 ? null : (
    <div class="said">
      <bdi>{message}</bdi>
      <Attached files={files} />
    </div>
  );

export const Attached = ({ files }: { readonly files: readonly AttachmentRecord[] }) => (
  <>
    {files.map(({ name, path, media_type, bytes }) => (
      <span key={path} class="file">
        <bdi>{name ?? path}</bdi> ({media_type}, {formatBytes(bytes)})
      </span>
    ))}
  </>
);

/** What a turn does at the moment, and the tokens it has used. */
export const TurnProgress = ({
  steps,
  isRunning,
  usage,
}: {
  readonly steps: readonly Step[];
  readonly isRunning: boolean;
  readonly usage: TurnUsage | null;
}) => (
  <>
    {isRunning && <span>{steps.some(isAsking) ? "Waits for an answer" : "Working…"}</span>}
    {usage !== null && (
      <span>
        {formatCount(usage.input_tokens)} tokens in ({formatCount(usage.cache_hit_tokens)} cached),{" "}
        {formatCount(usage.output_tokens)} out
      </span>
    )}
  </>
);

const isAsking = (step: Step): boolean => step.kind === "question" && step.answer === null;
