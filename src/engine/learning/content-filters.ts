/** Keys, tokens, passwords, card numbers: never stored in memory, which is shown to models. */
const SECRETS: readonly RegExp[] = [
  /\b(?:sk|pk|rk|ghp|gho|ghs|ghu|glpat|xox[abprs]|hf|npm|pypi|AIza|ya29|sq0|shpat)[-_][\w-]{8,}/i,
  /\b(?:github_pat_\w{20,}|AKIA[0-9A-Z]{12,}|AIza[\w-]{20,}|ASIA[0-9A-Z]{12,})\b/,
  /\beyJ[\w-]{8,}\.[\w-]{8,}/,
  /-----BEGIN [A-Z ]*(?:KEY|CERTIFICATE)-----/,
  /\b(?:password|passwort|passphrase|passcode|pass ?word|pwd|pin(?: code| number)?|cvv|cvc|security code|api[ _-]?key|access[ _-]?key|secret(?:[ _-]?key)?|private[ _-]?key|auth(?:entication)?[ _-]?token|access[ _-]?token|bearer|recovery (?:code|phrase)|seed phrase|2fa|otp|social security(?: number)?|ssn|door code|alarm code|safe combination)\b.{0,40}?(?:\bis\b|\bare\b|[:=]|\bnow\b|\bto\b).{0,4}\S*[\d\W_]?\S+/i,
  /\b[\w.+-]+:\/\/[^\s:@/]+:[^\s:@/]+@/,
  /\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,7}(?: ?[A-Z0-9]{1,3})?\b/,
  /\b\d{3}-\d{2}-\d{4}\b/,
];
const LONG_RANDOM = /(?=[\w+/=-]*\d)(?=[\w+/=-]*[a-z])(?=[\w+/=-]*[A-Z])[\w+/=-]{28,}/;

export const containsSecret = (text: string): boolean =>
  SECRETS.some((pattern) => pattern.test(text)) || LONG_RANDOM.test(text) || hasCardNumber(text);

function hasCardNumber(text: string): boolean {
  return [...text.matchAll(/\b(?:\d[ -]?){13,19}\b/g)].some(([found]) => {
    const digits = found.replaceAll(/\D/g, "");
    let sum = 0;
    for (const [index, digit] of digits.split("").toReversed().entries()) {
      const value = Number(digit) * (index % 2 === 1 ? 2 : 1);
      sum += value > 9 ? value - 9 : value;
    }
    return digits.length >= 13 && sum % 10 === 0;
  });
}

const FILLER =
  /\b(?:happy to help|glad to (?:help|assist)|how can I (?:help|assist)|feel free to|let me know if|as an ai|language model|I(?:'m| am) (?:an? )?(?:ai|assistant)|hope (?:this|that) helps|you're welcome|is there anything else|great question|I (?:can't|cannot) (?:help|assist)|I apologi[sz]e|thank you for|would you like me to)\b/i;
/** Predicates about the turn itself, such as "asked". */
const TRANSIENT =
  /^(?:asked|asks|is asking|wants to know|requested|requests|inquired|inquires|needs help|seeks|is seeking|thanked|greeted|said hello|mentioned|received|was told|is talking|is chatting|interacts?|has a question|is interested in knowing|wants help)\b/i;

export const isFiller = (text: string): boolean => FILLER.test(text.replaceAll("’", "'"));
export const isTransient = (predicate: string): boolean => TRANSIENT.test(predicate);

const RUN = 6;
const wordsOf = (text: string): readonly string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

/** Text of the system prompt and tool descriptions, to reject facts that repeat it. */
export class Boilerplate {
  readonly #runs = new Set<string>();

  constructor(texts: readonly string[]) {
    for (const text of texts) for (const run of runsOf(text)) this.#runs.add(run);
  }

  /** Whether a text contains six consecutive words of it. */
  has(text: string): boolean {
    return runsOf(text).some((run) => this.#runs.has(run));
  }
}

const runsOf = (text: string): readonly string[] => {
  const words = wordsOf(text);
  return words.slice(0, Math.max(0, words.length - RUN + 1)).map((_, at) => words.slice(at, at + RUN).join(" "));
};
