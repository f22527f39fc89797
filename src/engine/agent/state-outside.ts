import type { WorkingMemoryEntryType } from "../../contract/engine-events.ts";
import type { StateSection } from "./compaction-text.ts";

export interface StateOutside {
  readonly notes: readonly { readonly entryType: WorkingMemoryEntryType; readonly content: string }[];
  readonly questions: readonly { readonly question: string; readonly options: readonly string[] }[];
}

/** What is kept outside the transcript, as it stands in the place of a part that was summarised. */
export const stateOutside = ({ notes, questions }: StateOutside): readonly StateSection[] => [
  { title: "Your notes", lines: notes.map(({ entryType, content }) => `${entryType}: ${content}`) },
  {
    title: "Waiting for an answer of the user",
    lines: questions.map(({ question, options }) =>
      options.length === 0 ? question : `${question} (${options.join(" | ")})`,
    ),
  },
];
