import type { Clause } from "./clauses.ts";
import type { Statement } from "./statement.ts";

const CALL_ME =
  /^(?:[Pp]lease |[Yy]ou can |[Jj]ust |[Mm]y friends |[Ee]veryone |[Ee]verybody |[Pp]eople )*[Cc]alls? me (?<o>\p{Lu}[\p{L}'-]+(?: \p{Lu}[\p{L}'-]+)?)/u;
const STANDING =
  /^(?:please )?(?:(?:from now on|going forward|in (?:the )?future|by default|whenever|every time|in all your|for all future)\b.+|(?:always|never|don't ever|do not ever)\s+\p{L}.+|(?:I (?:want|need|expect|'d like|would like|prefer) you to) (?:always|never) .+)/iu;
const DECISION =
  /^(?:the (?:final )?decision is (?:to )?|we're going with |we are going with |I'm going with |I am going with |let's go with |we went with |we've settled on |we settled on )(?<o>.+)/i;
const GOAL =
  /^(?:I|we) (?:really )?(?:want|hope|would love|'d love|dream of|am determined|am hoping|'m hoping) (?:to )?(?<o>(?:learn|learning|visit|visiting|travel|become|becoming|move|lose|run a|retire|buy a|adopt|get married|start a|save|quit|write a book|climb)\b.+)/i;

/** What the user wants of the agent, for good, and what they have settled or wish for themselves. */
export function wishIn(clause: Clause): readonly Statement[] {
  const name = CALL_ME.exec(clause.text)?.groups?.["o"];
  if (name !== undefined) return [{ subject: "user", predicate: "wants to be called", object: name, clause }];
  if (STANDING.test(clause.text))
    return [
      { subject: "user", predicate: "wants", verb: "wants:", object: clause.text.replace(/^please /i, ""), clause },
    ];
  const decided = DECISION.exec(clause.text)?.groups?.["o"];
  if (decided !== undefined && !/^(?:it|that|this|option)\b/i.test(decided))
    return [
      { subject: "user", predicate: "decided", verb: "decided:", object: decided, isTimed: true, past: false, clause },
    ];
  const goal = GOAL.exec(clause.text)?.groups?.["o"];
  if (goal !== undefined)
    return [{ subject: "user", predicate: "goal", verb: "wants to", object: goal, single: false, clause }];
  return [];
}
