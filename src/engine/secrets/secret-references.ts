/** `${secret:NAME}` is a secret of the vault, `${secret_url:NAME}` an address that leads to its host with it. */
const REFERENCE = /\$\{(secret|secret_url):([A-Za-z][A-Za-z0-9_]{0,63})\}/g;

/** The names of secrets in texts, each once. */
export const secretsIn = (texts: readonly string[]): readonly string[] => [
  ...new Set(texts.flatMap((text) => [...text.matchAll(REFERENCE)].map(([, , name = ""]) => name))),
];

export const hasSecrets = (text: string): boolean => secretsIn([text]).length > 0;

/** A text with something else in place of its references. */
export const fillReferences = (text: string, fill: (kind: "secret" | "secret_url", name: string) => string): string =>
  text.replaceAll(REFERENCE, (_, kind: "secret" | "secret_url", name: string) => fill(kind, name));
