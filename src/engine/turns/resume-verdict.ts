import type { RunningTurn } from "../store/turns.ts";

/** Resumes without a stored step; after that the turn itself is assumed to crash the engine. */
const MAX_RESUMES = 3;

type ResumeVerdict = { readonly kind: "resume" } | { readonly kind: "give_up"; readonly reason: string };

/**
 * Whether to resume a turn that an earlier process left running. `waits`: it waits for a human or the
 * client, so it cannot have caused the restarts.
 */
export function resumeVerdict(
  { request, resumes }: Pick<RunningTurn, "request" | "resumes">,
  { waits }: { readonly waits: boolean },
): ResumeVerdict {
  if (request["on_disconnect"] === "cancel")
    return {
      kind: "give_up",
      reason: "the engine restarted, and the turn was to be cancelled when its client disconnects",
    };
  if (resumes >= MAX_RESUMES && !waits)
    return {
      kind: "give_up",
      reason: `the engine restarted ${resumes + 1} times without progress of the turn`,
    };
  return { kind: "resume" };
}
