/** A piece of a text that says one thing. */
export interface Clause {
  readonly text: string;
  /** The sentence it is of, as it was written. */
  readonly sentence: string;
  /** The user asked that it be remembered. */
  readonly toRemember: boolean;
}

/**
 * What the user says in a message, clause by clause: not what they ask, imagine or quote, and not the text that they
 * hand over to be worked on.
 */
export function clausesOf(message: string): readonly Clause[] {
  return sentencesOf(ownWords(message)).flatMap((sentence) => {
    const asks = sentence.endsWith("?");
    const clauses = sentence.split(BETWEEN_CLAUSES).flatMap((text) => coordinated(text.trim()));
    return clauses.flatMap((text): readonly Clause[] => {
      const { rest, toRemember } = withoutLead(text.replace(/[\s.!?,;:]+$/, ""));
      if (rest === "" || IMAGINED.test(rest) || ASKED.test(rest)) return [];
      if (asks && clauses.length === 1 && !/^(?:I|my|we)\b/i.test(rest)) return [];
      return [{ text: rest, sentence, toRemember }];
    });
  });
}

/** Without code, quotations, addresses, commands, and the text that a request is about. */
export function ownWords(message: string): string {
  const plain = message
    .replaceAll(/[‘’]/g, "'")
    .replaceAll(/[“”]/g, '"')
    .replaceAll(/(?<![\w'])i(?=['\s])/g, "I")
    .replaceAll(/```[\s\S]*?(?:```|$)/g, "\n")
    .replaceAll(/`[^`\n]*`/g, " ")
    .replaceAll(/^[ \t]*(?:>|\/\w|[$#] |\||diff --git|[{}<[\]]).*$/gm, "")
    .replaceAll(/\bhttps?:\/\/\S+/g, " ")
    .replaceAll(/"[^"\n]{25,}"/g, " ")
    .replaceAll(/"[^"]*\n[^"]*"/g, " ");
  const material = MATERIAL.exec(plain);
  return material === null ? plain : plain.slice(0, material.index + material[0].length);
}

/** "Translate this:", "here is the letter:" – what follows is somebody else's, or nobody's. */
const MATERIAL =
  /(?:^|\n|[.!?] )[^\n:]*\b(?:translate|rewrite|rephrase|paraphrase|proofread|summari[sz]e|correct|edit|improve|polish|shorten|review|classify|extract|parse|convert|format|explain|debug|following|below|transcript|e-?mail|letter|article|text|paragraph|log|logs|output|error|message|story|essay|draft)\b[^\n:]{0,80}:(?=\s)/i;

export function sentencesOf(text: string): readonly string[] {
  return text
    .replaceAll(ABBREVIATIONS, (match) => match.replaceAll(".", DOT))
    .split(/(?<=[.!?…])["')\]]*\s+|\n+/)
    .map((sentence) =>
      sentence
        .replaceAll(DOT, ".")
        .replace(/^\s*(?:[-*•]|\d{1,2}[.)])\s+/, "")
        .trim(),
    )
    .filter((sentence) => /\p{L}/u.test(sentence));
}

const DOT = "\u0001";
const ABBREVIATIONS =
  /\b(?:Dr|Mr|Mrs|Ms|Prof|St|Jr|Sr|vs|etc|approx|No|e\.g|i\.e|a\.m|p\.m|U\.S|U\.K)\.(?=\s)|\b[A-Z]\.(?= [A-Z])/g;

const SPEAKER = "(?:I|I'm|I've|I'll|I'd|we|we're|we've|my|our|he|she|he's|she's)\\b";
const BETWEEN_CLAUSES = new RegExp(
  [
    String.raw`\s*[;—–]\s*|\s+-+\s+|:\s+`,
    String.raw`,?\s+(?:and|but|so|because|since|while|although|though|plus|then)\s+(?=${SPEAKER})`,
    String.raw`,\s+(?=${SPEAKER}|(?:so|but|what|how|which|who|where|when|can|could|do|does|did|is|are|would|should|any|please|let)\b)`,
    String.raw`,?\s+(?:and|but|so)\s+(?=(?:can|could|what|how|which|who|where|please|would|should|do you|is there|are there)\b)`,
    String.raw`\s+(?:and|but)\s+(?=[A-Z]\w+ (?:is|lives|works|loves|likes|has|moved|got)\b)`,
  ].join("|"),
);

/** "I live in Berlin and work as a nurse": two things of one subject, said with it named once. */
function coordinated(text: string): readonly string[] {
  const { who, first, second } = COORDINATED.exec(text)?.groups ?? {};
  return who === undefined ? [text] : [`${who} ${first}`, ...coordinated(`${who} ${second}`)];
}

const COORDINATED =
  /^(?<who>I|we|he|she|[Mm]y [a-z]+(?: \p{Lu}[\p{L}'-]+)?|\p{Lu}[\p{L}'-]+) (?<first>(?!and\b).+?),? and (?<second>(?:also |now |currently )*(?:works? (?:as|at|for|in|from|with)|lives? (?:in|at|with|near|on)|ha(?:ve|s) (?:an?|no|two|three|four|five|\d+)|(?:am|is) (?:an?|allergic|married|vegetarian|vegan|from)|owns? (?:an?|two|three)|drives? an?|speaks? \p{Lu}|stud(?:y|ies) )\b.*)$/u;

const LEADS =
  /^(?:(?:oh|ah|hi|hey|hello|well|ok|okay|yes|yeah|yep|no|nope|right|sure|great|thanks|thank you|thank you so much|perfect|cool|nice|sorry|actually|anyway|also|btw|by the way|fyi|so|and|but|then|plus|because|since|as|given that|now that|considering|for context|for reference|for the record|just so you know|as you know|as I said|you know|to be clear|in fact|honestly|correction|update|news|good news|bad news|quick update|speaking of which|one more thing|another thing|other than that|I mean|I think|I guess|I believe|I should (?:say|mention|add|note)|I forgot to (?:say|mention|add)|let me add|it turns out|turns out|guess what|my bad)\b(?: that\b)?[\s,:!.-]*)+/i;
const REMEMBER =
  /^(?:(?:can|could|will|would) you )?(?:please )?(?:also )?(?:remember|note|note down|keep in mind|don't forget|do not forget|make a note|take note|save this|for future reference|for the future|be aware|mind)\b(?: this| for (?:later|me|next time))?[\s,:]*(?:that\b)?[\s,:]*/i;

function withoutLead(text: string): { readonly rest: string; readonly toRemember: boolean } {
  const bare = text.replace(LEADS, "");
  const rest = bare.replace(REMEMBER, "");
  return { rest: rest.replace(LEADS, "").trim(), toRemember: rest !== bare && !/^to\b/i.test(rest) };
}

const IMAGINED =
  /^(?:if|suppose|supposing|imagine|assume|assuming|pretend|let's say|say|what if|unless|in case|whether|act as|you are|you're|hypothetically|for example|e\.g)\b|\bif I (?:were|was|had|could)\b|\bas if\b/i;
const ASKED =
  /^(?:what|what's|how|how's|why|when|where|which|who|who's|whose|is|are|am|was|were|do|does|did|can|could|would|should|will|shall|may|might|has|have|isn't|aren't|any)\b/i;
