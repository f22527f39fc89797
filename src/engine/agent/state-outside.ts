import type { WorkingMemoryEntryType } from "../../contract/engine-events.ts";
import { PLAN_HEADING, type PlanItem, planLines } from "../tools/plan.ts";
import type { StateSection } from "./compaction-text.ts";

export interface StateOutside {
  readonly plan: readonly PlanItem[];
  readonly notes: readonly { readonly entryType: WorkingMemoryEntryType; readonly content: string }[];
  readonly questions: readonly { readonly question: string; readonly options: readonly string[] }[];
}

/** What is kept outside the transcript, as it stands in the place of a part that was summarised. */
export const stateOutside = ({ plan, notes, questions }: StateOutside): readonly StateSection[] => [
  { title: "Your plan", lines: planLines(plan) },
  {
    title: "Your notes",
    lines: notes
      .filter(({ content }) => !content.startsWith(PLAN_HEADING))
      .map(({ entryType, content }) => `${entryType}: ${content}`),
  },
  {
    title: "Waiting for an answer of the user",
    lines: questions.map(({ question, options }) =>
      options.length === 0 ? question : `${question} (${options.join(" | ")})`,
    ),
  },
];
