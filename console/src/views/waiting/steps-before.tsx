import { useTurn } from "../../live/use-turn.ts";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { linkTo } from "../../routing/address.ts";
import { engineCalls } from "../../session/clients.ts";
import { StepView } from "../playground/step-view.tsx";

/** What a turn did until it asked. */
export const StepsBefore = ({ engine, turn }: { readonly engine: string; readonly turn: string }) => {
  const { steps, problem } = useTurn(engine, turn);
  const before = steps.steps.filter((step) => step.kind !== "question" || step.answer !== null);
  return (
    <div class="steps-before">
      {problem !== null && <ProblemNote problem={problem} />}
      {before.map((step) => (
        <StepView key={step.seq} step={step} calls={engineCalls(engine)} isOver />
      ))}
      {problem === null && before.length === 0 && <p class="dim">{steps.phase === "new" ? "Reading…" : "Nothing."}</p>}
      <a href={linkTo(`/engines/${engine}/turns/${turn}`)}>Open the turn</a>
    </div>
  );
};
