import type { Round } from "../memory/rounds-to-learn.ts";
import { indexWords } from "../../shared/words/index-text.ts";
import type { ToolNamed } from "../tools/tool.ts";
import type { ExtractedFact } from "./extraction.ts";
import { normalWords, sentencesOf } from "./normal-words.ts";
import { ownWords } from "./own-words.ts";

type Speaker = ExtractedFact["speaker"];

/** The text of one speaker in a round, with its stemmed words. */
export interface Source {
  readonly text: string;
  readonly words: ReadonlySet<string>;
  readonly sentences: readonly { readonly text: string; readonly words: ReadonlySet<string> }[];
}

/** `own`: the user's words without what they quote. */
type Part = Speaker | "own";

/** The texts of a round by speaker, cached. */
export class RoundSources {
  readonly #round: Round;
  readonly #toolNamed: ToolNamed;
  readonly #sources = new Map<Part, Source | null>();

  constructor(round: Round, toolNamed: ToolNamed) {
    this.#round = round;
    this.#toolNamed = toolNamed;
  }

  /** Null when the speaker said nothing that counts. */
  of(speaker: Part): Source | null {
    const known = this.#sources.get(speaker);
    if (known !== undefined) return known;
    const text = textBy(this.#round, speaker, this.#toolNamed);
    const source = text === null ? null : sourceOf(text);
    this.#sources.set(speaker, source);
    return source;
  }
}

const sourceOf = (text: string): Source => ({
  text,
  words: new Set([...indexWords(text), ...indexWords(normalWords(text))]),
  sentences: sentencesOf(text).map((sentence) => ({ text: sentence, words: new Set(indexWords(sentence)) })),
});

/** The agent's own statements count only when they report actions and the turn ran a built-in tool that writes. */
function textBy(
  { episode, asked, notes, trajectory, recalled }: Round,
  speaker: Part,
  toolNamed: ToolNamed,
): string | null {
  switch (speaker) {
    case "own":
      return [ownWords(episode?.question ?? ""), ...asked.map(({ answer }) => answer)].join("\n");
    case "user":
      return [episode?.question ?? "", ...asked.map(({ answer }) => answer)].join("\n");
    case "note":
      return withoutRecalled(notes.join("\n"), recalled);
    case "assistant": {
      const acted = trajectory.steps.some(({ tool, ok }) => ok && isChanging(toolNamed(tool)));
      const done = sentencesOf(episode?.answer ?? "").filter((sentence) => DONE.test(sentence));
      return acted && done.length > 0 ? withoutRecalled(done.join("\n"), recalled) : null;
    }
    default:
      return speaker satisfies never;
  }
}

const isChanging = (tool: ReturnType<ToolNamed>): boolean =>
  tool !== undefined && tool.source === undefined && !tool.readOnly && tool.bookkeeping !== true;

const DONE =
  /\bI(?:'ve| have)? (?:just |now |also )?(?:created|wrote|written|saved|updated|changed|added|removed|deleted|renamed|moved|installed|configured|fixed|ran|run|built|deployed|generated|converted|set up)\b/i;

function withoutRecalled(text: string, recalled: string): string {
  if (recalled === "") return text;
  const known = recalled.toLowerCase();
  return sentencesOf(text)
    .filter((sentence) => !known.includes(sentence.toLowerCase().replace(/[.!]$/, "")))
    .join("\n");
}
