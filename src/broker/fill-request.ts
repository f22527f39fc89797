import { type Placeholder, isPlaceholderOf, placeholdersIn } from "../contract/broker/placeholder.ts";
import {
  ENGINE_KEY_HEADER,
  type Misuse,
  SECRET_HEADER,
  SECRET_NAMES_HEADER,
  SECRET_TARGET_HEADER,
} from "../contract/broker/secret-calls.ts";
import type { EngineStart } from "../contract/broker/engine-key.ts";
import { HOP_BY_HOP } from "./call-headers.ts";
import { type CarriedSecret, type Secret, basicOf } from "./secret-forms.ts";
import { isHostOf } from "./secret-hosts.ts";

/** A request with a placeholder that may not be sent. */
export class Misused extends Error {
  override readonly name = "Misused";
  readonly secret: string;
  readonly misuse: Misuse;

  constructor(secret: string, misuse: Misuse, message: string) {
    super(message);
    this.secret = secret;
    this.misuse = misuse;
  }
}

/** There is no such secret, or its value cannot be read now. */
export class NoSecret extends Error {
  override readonly name = "NoSecret";
}

export interface SecretCall {
  readonly caller: EngineStart;
  /** Of the engine, which authenticates its placeholders. */
  readonly engineKey: string;
  readonly target: URL;
  /** The secret that the request gets in its place, if it has none itself. */
  readonly phantom: Placeholder | null;
  /** Whether the body may carry a secret that the head does not name. */
  readonly fillsBody: boolean;
  readonly rawHeaders: readonly string[];
  readonly find: (caller: EngineStart, name: string) => Promise<Secret | null>;
}

const NOT_SENT: ReadonlySet<string> = new Set([
  ...HOP_BY_HOP,
  SECRET_HEADER,
  SECRET_NAMES_HEADER,
  SECRET_TARGET_HEADER,
  ENGINE_KEY_HEADER,
  "host",
  "expect",
  // A value is looked for in the answer as it is.
  "accept-encoding",
  // By ranges of a page that echoes a value, a tool would get it in pieces that nobody looks for.
  "range",
  "if-range",
  // The values have other lengths than their placeholders.
  "content-length",
]);

type Place = "header" | "basic" | "query" | "body" | "path";
type Header = readonly [name: string, value: string];

/** Puts values in place of the placeholders of one request. Each of them is checked: engine, host, place, TLS. */
export class RequestFiller {
  readonly #call: SecretCall;
  readonly #carried = new Map<string, CarriedSecret>();
  #changesBody = false;

  constructor(call: SecretCall) {
    this.#call = call;
  }

  /** What was filled in so far, which is then cut out of the answer. */
  get carried(): readonly CarriedSecret[] {
    return [...this.#carried.values()];
  }

  /** Whether the body may get other bytes than it has. It is settled by the head. */
  get changesBody(): boolean {
    return this.#changesBody;
  }

  /** URL and headers as they are sent. Rejects with {@link Misused} or {@link NoSecret}. */
  async head(): Promise<{ readonly url: URL; readonly headers: readonly string[] }> {
    const { target, rawHeaders, phantom } = this.#call;
    const url = new URL(target);
    for (const placeholder of placeholdersIn(url.origin + url.pathname + url.username + url.password))
      await this.#open(placeholder, "path");
    url.search = await this.#filled(url.search, "query", encodeURIComponent);
    const headers: Header[] = [];
    for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
      const [name = "", value = ""] = rawHeaders.slice(at, at + 2);
      if (!NOT_SENT.has(name.toLowerCase())) headers.push([name, await this.#header(name, value)]);
    }
    const own =
      phantom === null || this.#carried.has(phantom.text) ? headers : await this.#placed(phantom, url, headers);
    this.#changesBody = this.#call.fillsBody || this.carried.some(({ secret }) => secret.place === "body");
    return { url, headers: [...own.flat(), "host", url.host, "accept-encoding", "identity"] };
  }

  /** The value that takes a placeholder's place in the body. */
  body = async (placeholder: Placeholder): Promise<string> => {
    const { value } = await this.#open(placeholder, "body");
    if (this.#changesBody) return value;
    throw new Misused(placeholder.name, "other place", `the secret ${placeholder.name} is not named by the request`);
  };

  async #header(name: string, value: string): Promise<string> {
    const [, scheme = "", encoded] = /^(basic +)([\w+/=-]+) *$/i.exec(value) ?? [];
    if (name.toLowerCase() !== "authorization" || encoded === undefined)
      return this.#filled(value, "header", same, name);
    const credentials = Buffer.from(encoded, "base64").toString("latin1");
    const filled = await this.#filled(credentials, "basic", same);
    return filled === credentials ? value : scheme + Buffer.from(filled, "latin1").toString("base64");
  }

  async #filled(text: string, place: Place, write: (value: string) => string, header?: string): Promise<string> {
    let filled = text;
    for (const placeholder of placeholdersIn(text)) {
      const { value } = await this.#open(placeholder, place, header);
      filled = filled.replace(placeholder.text, () => write(value));
    }
    return filled;
  }

  /** The headers with the secret where it belongs. A parameter is added to the URL. */
  async #placed(phantom: Placeholder, url: URL, headers: readonly Header[]): Promise<readonly Header[]> {
    const { place, header, prefix, value } = await this.#open(phantom, null);
    const without = (name: string) => headers.filter(([one]) => one.toLowerCase() !== name.toLowerCase());
    switch (place) {
      case "header":
        return [...without(header ?? ""), [header ?? "", (prefix ?? "") + value]];
      case "basic":
        return [...without("authorization"), ["authorization", `Basic ${basicOf(prefix ?? "", value)}`]];
      case "query":
        url.searchParams.set(header ?? "", value);
        return headers;
      default:
        return headers;
    }
  }

  /** `place`: where the placeholder stands. Null: nowhere yet. */
  async #open(placeholder: Placeholder, place: Place | null, header?: string): Promise<Secret> {
    const { engineKey, caller, target, find } = this.#call;
    const { name } = placeholder;
    if (!isPlaceholderOf(engineKey, placeholder))
      throw new Misused(name, "other engine", `the placeholder of ${name} is not one of this engine`);
    if (target.protocol !== "https:") throw new Misused(name, "not https", `the secret ${name} is sent by https only`);
    const secret = await find(caller, name);
    if (secret === null) throw new NoSecret(`there is no secret ${name}, or its value cannot be read now`);
    if (!isHostOf(secret.hosts, target))
      throw new Misused(name, "other host", `the secret ${name} may be sent to ${secret.hosts.join(", ")} only`);
    if (place !== null && !isPlaceOf(secret, place, header))
      throw new Misused(name, "other place", `the secret ${name} may be sent as ${secret.place} only`);
    this.#carried.set(placeholder.text, { placeholder, secret });
    return secret;
  }
}

/** A token of the header `Authorization` may be the password of basic authentication too: git and APIs share tokens. */
function isPlaceOf({ place, header }: Secret, found: Place, name = ""): boolean {
  const isAuthorization = header?.toLowerCase() === "authorization";
  if (place === "header" && found === "basic") return isAuthorization;
  if (place === "header" && found === "header") return header?.toLowerCase() === name.toLowerCase();
  return place === found;
}

const same = (value: string): string => value;
