import { useResource } from "../../live/resource.ts";
import { useAction } from "../../parts/action.ts";
import { Empty } from "../../parts/empty.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { engineCalls } from "../../session/clients.ts";
import type { MemoryProps } from "./memory-props.ts";

/** Skills that learning has drafted. A person allows or refuses each. */
export const SkillDrafts = ({ engine: { id } }: MemoryProps) => {
  const calls = engineCalls(id);
  const { data, problem, reload } = useResource((signal) => calls.skillDrafts({ signal }), [id]);
  const { isBusy, run } = useAction();
  const decide = async (draft: string, decision: "allow" | "refuse") => {
    const done = decision === "allow" ? "The skill is allowed." : "The skill is refused.";
    if (await run(() => calls.decideSkill(draft, decision), done)) reload();
  };
  return (
    <>
      {problem !== null && <ProblemNote problem={problem} onRetry={reload} />}
      {data?.length === 0 && (
        <Empty title="No skill was drafted yet.">
          <p>Learning drafts one when the same tools have answered three similar requests.</p>
        </Empty>
      )}
      {data?.map((draft) => (
        <section key={draft.id} class="panel" aria-label={draft.name}>
          <header>
            <h2>{draft.name}</h2>
            <span class="dim">
              {draft.state}, trust {draft.trust}, from {draft.trajectories.length} turns
            </span>
          </header>
          <pre class="log" tabIndex={0} aria-label="Skill">
            {draft.body}
          </pre>
          {draft.state === "proposed" && (
            <div class="form-actions">
              <button type="button" class="primary" disabled={isBusy} onClick={() => void decide(draft.id, "allow")}>
                Allow
              </button>
              <button type="button" disabled={isBusy} onClick={() => void decide(draft.id, "refuse")}>
                Refuse
              </button>
            </div>
          )}
        </section>
      ))}
    </>
  );
};
