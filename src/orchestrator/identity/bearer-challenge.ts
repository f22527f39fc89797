/** What a tool server says when it is called without a token (RFC 6750, RFC 9728). */
export interface BearerChallenge {
  /** The address of its metadata. */
  readonly metadataUrl: string | null;
  readonly scope: string | null;
}

const MAX_LENGTH = 8192;
const NONE: BearerChallenge = { metadataUrl: null, scope: null };

/** The `Bearer` challenge of a `WWW-Authenticate` header. */
export function readBearerChallenge(header: string | undefined): BearerChallenge {
  const [, parameters] = /(?:^|,)\s*Bearer\b([^]*)$/i.exec((header ?? "").slice(0, MAX_LENGTH)) ?? [];
  if (parameters === undefined) return NONE;
  const found = new Map<string, string>();
  for (const [, name = "", quoted, bare] of parameters.matchAll(
    /([a-z_]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))/gi,
  )) {
    const key = name.toLowerCase();
    // The first one counts, as in a form.
    if (!found.has(key)) found.set(key, quoted === undefined ? (bare ?? "") : quoted.replace(/\\(.)/g, "$1"));
  }
  return { metadataUrl: found.get("resource_metadata") ?? null, scope: found.get("scope") ?? null };
}
