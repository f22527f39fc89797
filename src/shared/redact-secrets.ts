const REDACTED = "(redacted)";
/** Shorter values would match too much that is no secret. */
const MIN_SECRET_LENGTH = 6;

/**
 * The forms of secrets of orchd, of providers and of the web. What a group keeps is no secret. Repetitions that something
 * must follow are bounded: a hostile text would otherwise take quadratic time.
 */
const FORMS: readonly RegExp[] = [
  /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|$)/g,
  /\b(?:orch[elmps]_|sk-orch-)[\w-]+/g,
  /\b(?:sk|pk|rk)[-_][A-Za-z0-9_-]{16,}/g,
  /\bAKIA[0-9A-Z]{16}\b/g,
  /\bAIza[\w-]{30,}/g,
  /\b(?:gh[pousr]|github_pat|glpat|xox[abprs])[_-][\w-]{10,}/g,
  /\beyJ[\w-]{1,300}\.[\w-]{1,8000}\.[\w-]*/g,
  /(\b(?:Bearer|Basic) )[\w+/.~=-]{8,}/gi,
  /(\b[a-z][a-z0-9+.-]{0,30}:\/\/)[^\s/@"]{1,300}@/gi,
  /((?:password|passwd|secret|token|api[_-]?key|authorization|credential)\w{0,30}["']?\s{0,3}[:=]\s{0,3}["']?)(?!\(|null|true|false|\d+\b)[^\s"',;{}[\]&]+/gi,
];

/** A text without the given secrets, and without what has the form of one. */
export function redactSecrets(text: string, secrets: readonly string[]): string {
  return FORMS.reduce(
    (rest, form) => rest.replaceAll(form, (_match, kept: unknown) => (typeof kept === "string" ? kept : "") + REDACTED),
    redactValues(text, secrets),
  );
}

/** A text without the given secrets, also as JSON writes them. */
export function redactValues(text: string, secrets: readonly string[]): string {
  const long = secrets.filter((secret) => secret.length >= MIN_SECRET_LENGTH);
  const forms = new Set(long.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)]));
  // The longest first: of one that begins as another, the end would remain.
  return [...forms]
    .toSorted((one, other) => other.length - one.length || (one < other ? -1 : 1))
    .reduce((rest, form) => rest.replaceAll(form, REDACTED), text);
}
