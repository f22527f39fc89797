/** Headers of one connection (RFC 9110, 7.6.1). A proxy does not forward them. In lower case. */
export const HOP_BY_HOP: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/**
 * The headers that the values of `Connection` declare hop-by-hop, in lower case. Without `content-length`: a body that is
 * forwarded without it is read as another request.
 */
export function connectionOptions(values: readonly string[]): ReadonlySet<string> {
  const options = values.flatMap((value) => value.split(",").map((option) => option.trim().toLowerCase()));
  return new Set(options.filter((option) => option !== "content-length"));
}
