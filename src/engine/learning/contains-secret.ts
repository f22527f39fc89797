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
