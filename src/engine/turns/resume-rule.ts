import type { RunningTurn } from "../store/turns.ts";

/** So often a turn may be taken up without a step that is stored: after that it is what brings the engine down. */
const MAX_RESUMES = 3;

export type ResumeVerdict = { readonly kind: "resume" } | { readonly kind: "give_up"; readonly reason: string };

/**
 * Whether a turn that an engine before this one left running goes on. `waits`: it waits for a person, and so does no
 * harm however often the engine restarts.
 */
export function resumeVerdict(
  { request, resumes }: Pick<RunningTurn, "request" | "resumes">,
  { waits }: { readonly waits: boolean },
): ResumeVerdict {
  if (request["on_disconnect"] === "cancel")
    return {
      kind: "give_up",
      reason: "the engine restarted, and its client, without whom it was to be cancelled, is gone",
    };
  if (resumes >= MAX_RESUMES && !waits)
    return {
      kind: "give_up",
      reason: `the engine restarted ${resumes + 1} times without the turn getting any further`,
    };
  return { kind: "resume" };
}
