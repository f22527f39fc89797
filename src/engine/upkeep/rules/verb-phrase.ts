/** What stands before the word that says something: helping verbs, adverbs, negations. */
export interface VerbPhrase {
  readonly rest: string;
  readonly negated: boolean;
  /** "am", "is", "was" directly before the rest. */
  readonly copula: boolean;
  readonly past: boolean;
  readonly future: boolean;
  /** "have moved", "'ve read". */
  readonly perfect: boolean;
  /** "used to live": it was, and is no more. */
  readonly formerly: boolean;
  /** "would", "might": nothing is said to be so. */
  readonly modal: boolean;
}

const NEGATED =
  /^(?:don't|doesn't|didn't|isn't|aren't|wasn't|weren't|haven't|hasn't|hadn't|won't|not|never|no longer|ain't)\s+/i;
const CANNOT = /^(?:can't|cannot|can not|couldn't)\s+/i;
const MODAL =
  /^(?:would|'d|could|might|may|should|must|can|shall|ought to|wouldn't|shouldn't|need to|have to|want to|wanna|tend to)\s+/i;
const COPULA = /^(?:'m|'re|am|is|are|was|were|been|being|'s)\s+/i;
const FUTURE =
  /^(?:will|'ll|(?:'m|am|is|are|'re|'s)\s+(?:now\s+|also\s+|probably\s+)?(?:going|about|planning|set|due|supposed)\s+to|gonna)\s+/i;
const HELPING = /^(?:have|has|had|'ve|do|does|did)\s+/i;
const ADVERB =
  /^(?:now|currently|still|also|just|recently|really|actually|finally|always|usually|often|sometimes|mostly|mainly|generally|personally|already|absolutely|totally|definitely|certainly|truly|simply|both|all|only|ever|even|officially|originally|typically|normally|lately|kind of|sort of|probably|very much|so|very|quite|pretty|super|extremely|highly|severely|deathly|mildly|too|temporarily|permanently|happily|newly|once|since|once again|again|today|yesterday|eventually|ended up|managed to|happen to|get to|got to|am proud to|decided and)\s+/i;

export function verbPhrase(text: string): VerbPhrase {
  let rest = `${text} `;
  const found = {
    negated: false,
    copula: false,
    past: false,
    future: false,
    perfect: false,
    formerly: false,
    modal: false,
  };
  for (let more = true; more;) {
    more = false;
    const take = (pattern: RegExp): string | null => {
      const match = pattern.exec(rest);
      if (match === null || match[0].length === rest.length) return null;
      rest = rest.slice(match[0].length);
      more = true;
      return match[0].trim().toLowerCase();
    };
    if (/^used to\s/i.test(rest)) {
      take(/^used to\s+/i);
      found.formerly = true;
    } else if (/^(?:can't|cannot|can not)\s+(?:stand|eat|have|drink|tolerate|digest|handle)\b/i.test(rest)) break;
    else if (take(CANNOT) !== null) found.modal = true;
    else if (take(FUTURE) !== null) found.future = true;
    else if (NEGATED.test(rest)) {
      const word = take(NEGATED) ?? "";
      found.negated = true;
      found.copula ||= /^(?:isn't|aren't|wasn't|weren't|ain't)$/.test(word);
      if (/^(?:didn't|wasn't|weren't|hadn't)$/.test(word)) found.past = true;
    } else if (take(MODAL) !== null) found.modal = true;
    else if (
      /^(?:have|has|had|'ve|'s)\s+(?:(?:now|also|just|recently|finally|already|never|only|officially|always|not|since)\s+)*(?:\w+ed|been|got|gotten|read|run|written|seen|done|made|won|lost|bought|taken|given|eaten|driven|flown|met|begun|become|known|gone|had|kept|sold|spent|told|learnt|left|moved|come|grown|put|set|quit|built|paid|sent|caught|found|broken|chosen)\b/i.test(
        rest,
      )
    ) {
      const word = take(/^(?:have|has|had|'ve|'s)\s+/i);
      found.perfect = true;
      found.past ||= word === "had";
    } else if (COPULA.test(rest)) {
      const word = take(COPULA) ?? "";
      found.copula = true;
      if (/^was|^were/.test(word)) found.past = true;
    } else if (
      /^(?:do|does|did)\s+(?:really|love|like|have|want|live|work|eat|enjoy|prefer|own|play|use)\b/i.test(rest)
    ) {
      found.past ||= take(HELPING) === "did";
    } else take(ADVERB);
  }
  return { ...found, rest: rest.trim() };
}
