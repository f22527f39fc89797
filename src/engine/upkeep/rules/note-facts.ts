import type { ExtractedFact } from "../extraction.ts";
import { clausesOf } from "./clauses.ts";
import { Speaking } from "./speaking.ts";
import { factOf } from "./statement.ts";
import { statementsIn } from "./statements.ts";

/** What the agent noted of the user, in its words: read as if the user had said it, believed as the agent's. */
export function noteFacts(note: string, at: number): readonly ExtractedFact[] {
  const speaking = new Speaking();
  return clausesOf(asSaid(note))
    .filter(({ text }) => /^(?:I|my)\b/.test(text))
    .flatMap((clause) => statementsIn({ ...clause, toRemember: false }, speaking))
    .flatMap((statement) => factOf(statement, at) ?? [])
    .map((fact) => ({ ...fact, saidBy: "note", evidence: note, confidence: 0.6 }));
}

const asSaid = (note: string): string =>
  note
    .replaceAll(/\b(?:the )?user['’]s\b/gi, "my")
    .replaceAll(/\b(?:the )?user (?=[a-z])/gi, "I ")
    .replaceAll(
      /\bI (?:is|has|was)\b/g,
      (words) => ({ "I is": "I am", "I has": "I have", "I was": "I was" })[words] ?? words,
    )
    .replaceAll(
      /\bI ((?:live|work|prefer|like|love|hate|enjoy|dislike|own|drive|play|speak|use|want|need|plan)s)\b/g,
      (_, verb: string) => `I ${verb.slice(0, -1)}`,
    );
