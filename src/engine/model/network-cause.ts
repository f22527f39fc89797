/** What failed below HTTP, as far as it can be told without repeating what was sent. */
export interface NetworkCause {
  /** Of the socket or the system, such as `ECONNREFUSED`; empty without one. */
  readonly code: string;
  /** As `connect ECONNREFUSED 127.0.0.1:9`; null where the system did not say so much. */
  readonly systemCall: string | null;
  /** In the words of the HTTP client, such as `bad port`; null where they could quote the request. */
  readonly reason: string | null;
}

const MAX_DEPTH = 6;
const CODE = /^[A-Z][A-Z0-9_]+$/;
const ADDRESS = /^[\w.:[\]%-]{1,255}$/;
/** What `fetch` could not do is the cause of an error that begins so. All others may be about the request itself. */
const NOT_CONNECTED = /^(?:Cannot connect to API|fetch failed|terminated)/;
/** Plain words, none so long that it could be a key. */
const PLAIN_WORDS = /^[A-Za-z][\w'/.-]{0,19}(?:[ ,:;()]+[\w'/.-]{1,19}){0,14}[.)]?$/;

type Fields = Readonly<Record<string, unknown>>;

/** Reads the innermost cause: what `fetch` throws hides the socket's error, or several of them, as its cause. */
export function networkCauseOf(error: unknown): NetworkCause {
  const chain: Fields[] = [];
  for (let at = fields(error), depth = 0; depth < MAX_DEPTH; depth++) {
    chain.unshift(at);
    const inner = at["cause"] ?? [at["errors"]].flat()[0];
    if (inner === undefined || inner === null) break;
    at = fields(inner);
  }
  const [innermost = {}] = chain;
  const code = chain.map((one) => one["code"]).find((one) => typeof one === "string" && CODE.test(one));
  const isBelow = chain.length > 1 && chain.some(({ message }) => NOT_CONNECTED.test(String(message)));
  const words = innermost["message"];
  return {
    code: typeof code === "string" ? code : "",
    systemCall: chain.map(systemCallOf).find((one) => one !== null) ?? null,
    reason: isBelow && typeof words === "string" && PLAIN_WORDS.test(words) ? words : null,
  };
}

function systemCallOf({ syscall, code, address, hostname, port }: Fields): string | null {
  const place = address ?? hostname;
  if (typeof syscall !== "string" || typeof code !== "string" || !CODE.test(code)) return null;
  if (typeof place !== "string" || !ADDRESS.test(place)) return null;
  const host = typeof port === "number" && place.includes(":") ? `[${place}]` : place;
  return `${syscall} ${code} ${host}${typeof port === "number" ? `:${port}` : ""}`;
}

const fields = (value: unknown): Fields => (typeof value === "object" && value !== null ? (value as Fields) : {});
