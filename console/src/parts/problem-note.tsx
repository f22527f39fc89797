import type { OrchdError } from "@orchd/client";

/** What went wrong, with what the log can be searched for. */
export const ProblemNote = ({ problem, onRetry }: { readonly problem: OrchdError; readonly onRetry?: () => void }) => (
  <div class="callout problem" role="alert">
    <p>{problem.message}</p>
    <p class="dim">
      <code>{problem.code}</code>
      {problem.requestId !== null && (
        <>
          , request <code>{problem.requestId}</code>
        </>
      )}
    </p>
    {onRetry !== undefined && (
      <button type="button" onClick={onRetry}>
        Try again
      </button>
    )}
  </div>
);
