const ENDS =
  /\s*(?:[;!?()]|,\s+(?=(?:which|who|where|but|so|and|as|since|because|not|though|although|while|if|when|then|thanks|please|actually|too|right|by the way|btw|just|instead|especially|mostly)\b)|,\s+(?=(?:I|my|we|our|he|she|it|they)\b)|(?<!\b(?:Dr|Mr|Mrs|Ms|Prof|St|Jr|Sr|vs|No|[A-Z]))\.(?:\s|$)|\s+(?:because|since|so that|but|which|whose|although|though|whereas|unless|if|when|whenever|where|while|and then|in order to|so I|so we|that I|that we|and I|and my|and we|and she|and he|and it|and they|and our|as of|as well as when|just in case|instead of|rather than|due to|thanks to)\b)/i;
const TAILS =
  /(?:[\s,]+(?:now|currently|today|lately|right now|these days|too|as well|actually|anymore|any more|at the moment|by the way|btw|please|thanks|though|for now|again|already|instead|recently|at all|very much|a lot|so much|or so|or something|here|yet|still|then|from now on|going forward|going forwards|for the record|in general|most of the time|at present|with me|for me|lol|haha|:\)|:-\)))+$/i;
const EMPTY =
  /^(?:it|this|that|them|these|those|here|there|one|ones|something|anything|everything|nothing|stuff|things?|so|to|you|your (?:answer|help|suggestion|idea|response|advice)s?|me|him|her|us|some|all|both|none|more|much|many|what|how|why|either|neither|mine|yours|such|same|the same|a lot|a bit|ok|okay|fine|good|great|done|ready|sure|sorry|not|no|yes|back|home|out|up|down)\b[\s.]*$/i;
const MOST_WORDS = 14;

/** What a statement is about, up to where it goes on to something else; null when it names nothing. */
export function objectWords(text: string): string | null {
  const end = ENDS.exec(text);
  const words = (end === null ? text : text.slice(0, end.index))
    .replace(/^[\s,:"']+|[\s,.:"']+$/g, "")
    .replace(TAILS, "")
    .replace(/[\s,.:]+$/, "")
    .replaceAll(/\s+/g, " ")
    .trim();
  if (words === "" || EMPTY.test(words) || words.split(" ").length > MOST_WORDS) return null;
  return words;
}

/** The text without the words that tell a time, all of them or the first at its end, or the prepositions they leave. */
export const withoutWords = (text: string, words: string): string =>
  (text.includes(words) ? text.replace(words, " ") : withoutEnd(text, words))
    .replaceAll(/\s+/g, " ")
    .replace(/[\s,]+(?:on|in|at|since|from|by|for|during|of|until|back)?\s*$/i, "")
    .trim();

/** "Hamburg in October" of "in October 2026": a year is no part of what a place's name is read from. */
function withoutEnd(text: string, words: string): string {
  const parts = words.split(" ");
  for (let count = parts.length - 1; count > 0; count--) {
    const start = parts.slice(0, count).join(" ");
    if (text.endsWith(` ${start}`)) return text.slice(0, -start.length);
  }
  return text;
}
