import type * as z from "zod/mini";
import type { Scope } from "./engine/scopes.ts";
import { type SessionRole, highestRole } from "./console/session-limits.ts";

export type Timeout = "short" | "boot" | "hour";

interface Endpoint {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** `{name}` marks a parameter, percent-decoded once. */
  readonly path: string;
}

/** A query parameter or header. A handler reads it by the bounds given here. */
export type Parameter = { readonly summary: string } & (
  | { readonly kind: "integer"; readonly min: number; readonly max: number; readonly fallback: number }
  /** `role`: set, a session needs this role instead of the route's. `scope`: a token needs it in addition. */
  | { readonly kind: "flag"; readonly role?: SessionRole; readonly scope?: Scope }
  | { readonly kind: "choice"; readonly values: readonly string[]; readonly fallback: string | null }
  | { readonly kind: "text"; readonly maxLength?: number }
  /** Values by their keys: each is a parameter of its own, `name.key=value`. */
  | { readonly kind: "map" }
);
export type IntegerParameter = Extract<Parameter, { kind: "integer" }>;

export const PAGE_LIMIT: IntegerParameter = { kind: "integer", min: 1, max: 200, fallback: 50, summary: "Page size" };
/** The query of every list. */
export const PAGE = {
  limit: PAGE_LIMIT,
  cursor: { kind: "text", summary: "`next_cursor` of the previous page of the same list" },
} as const satisfies Record<string, Parameter>;

/** The body of a response. `Schema` is the name of one of the interface's response schemas. */
export type Content<Schema extends string> =
  | { readonly kind: "json"; readonly schema: Schema }
  /** Server-sent events: `data` of each is JSON of this schema. */
  | { readonly kind: "events"; readonly schema: Schema }
  /** One JSON document per line. */
  | { readonly kind: "lines"; readonly schema: Schema }
  | { readonly kind: "text" }
  | { readonly kind: "html" }
  /** A file whose type follows from its name. */
  | { readonly kind: "file" }
  /** A gzipped tar archive. */
  | { readonly kind: "archive" }
  | { readonly kind: "zip" }
  /** The bytes of a user's file. */
  | { readonly kind: "bytes" };

/** A row of an interface's route table. Routing, 405, the OpenAPI document and the contract test derive from it. */
export interface RouteRow<Auth extends string, Schema extends string, Code extends string> extends Endpoint {
  readonly auth: Auth;
  /** The role that a session of the console needs for a call. Left out, the route takes no session. */
  readonly role?: SessionRole;
  /** Of an engine's route: what a token of an end user needs. Left out, no token permits the call. */
  readonly scope?: Scope;
  /** Markdown without a full stop, with links as from docs/. */
  readonly summary: string;
  readonly query?: Readonly<Record<string, Parameter>>;
  readonly headers?: Readonly<Record<string, Parameter>>;
  /** The JSON body. A POST or PUT without one takes an empty body and ignores any field. */
  readonly request?: z.ZodMiniObject;
  /** The client's names of body fields that are named as a parameter of the path is. */
  readonly clientNames?: Readonly<Record<string, string>>;
  /** The method of the admin's or the product's client, when it does no more than this call. Others are written in `src/client`. */
  readonly clientMethod?: string;
  /** A streamed body instead of `request`: one JSON document per line. */
  readonly requestLines?: Schema;
  /** A gzipped tar archive instead of `request`. */
  readonly requestArchive?: true;
  /** The bytes of a file instead of `request`. An engine stores them as they arrive. */
  readonly requestBytes?: true;
  /** Costs a tenth of a call, until the handler charges the rest before it changes something. */
  readonly looksUpFirst?: true;
  /** A raw body that the handler reads itself. */
  readonly rawBody?: true;
  /** The largest body in bytes. Left out, the default of the interface. */
  readonly maxBodyBytes?: number;
  /** `false`: a call without `Idempotency-Key` is not sent again after a lost response, for it may have run. */
  readonly repeatable?: false;
  /** How long a client waits for the response. `boot`: as an engine may need to start or stop. Left out, it is short. */
  readonly timeout?: Timeout;
  /** Success status to the bodies it may have, by the `Accept` header. */
  readonly responses: Readonly<Record<number, readonly Content<Schema>[]>>;
  /** Error codes in addition to those of every route with this authentication and method. */
  readonly errors?: readonly Code[];
}

type Place = `${Endpoint["method"]} /${string}`;
type Fields<Schema extends string, Code extends string> = Omit<
  RouteRow<string, Schema, Code>,
  "method" | "path" | "auth" | "summary" | "role" | "scope"
>;

/** Creates the rows of one authentication: `GET /path`, the summary and the other fields. */
export const rowsOf =
  <Auth extends string, Schema extends string, Code extends string>(auth: Auth) =>
  (place: Place, summary: string, rest: Fields<Schema, Code>): RouteRow<Auth, Schema, Code> => {
    const [method, path] = place.split(" ") as [Endpoint["method"], string];
    return { method, path, auth, summary, ...rest };
  };

/** The same for routes that take sessions: each row names the role that they need. */
export const roleRowsOf =
  <Auth extends string, Schema extends string, Code extends string>(auth: Auth) =>
  (
    place: Place,
    summary: string,
    { role, ...rest }: Fields<Schema, Code> & { readonly role: SessionRole },
  ): RouteRow<Auth, Schema, Code> => ({ ...rowsOf<Auth, Schema, Code>(auth)(place, summary, rest), role });

export const json = <S extends string>(schema: S) => ({ kind: "json", schema }) as const;
export const events = <S extends string>(schema: S) => ({ kind: "events", schema }) as const;
export const lines = <S extends string>(schema: S) => ({ kind: "lines", schema }) as const;

/** The default success response: 200 with a JSON document. */
export const ok = <S extends string>(schema: S) => ({ 200: [json(schema)] });

/** The role that a session needs for a call with these query parameters. Null: the route takes no session. */
export function roleFor(
  { role, query = {} }: Pick<RouteRow<string, string, string>, "role" | "query">,
  given: Readonly<Record<string, unknown>>,
): SessionRole | null {
  if (role === undefined) return null;
  const flags = Object.keys(given).flatMap((name) => (query[name]?.kind === "flag" ? (query[name].role ?? []) : []));
  return highestRole([role, ...flags]);
}

/** `/engines/{user_id}` as a path of Express. */
export const expressPath = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ":$1");

/** The rows of a path in the order of the table, by the rules of Express. Empty for an unknown path. */
export function rowsAt<Row extends Endpoint>(table: readonly Row[]): (path: string) => readonly Row[] {
  const patterns = table.map((row) => ({
    row,
    pattern: new RegExp(`^${row.path.replaceAll(/\{\w+\}/g, "[^/]+")}/?$`, "i"),
  }));
  return (path) => patterns.flatMap(({ row, pattern }) => (pattern.test(path) ? [row] : []));
}

/** The methods of a path in the order of the table. Empty for an unknown path. */
export function methodsOf(table: readonly Endpoint[]): (path: string) => readonly Endpoint["method"][] {
  const find = rowsAt(table);
  return (path) => [...new Set(find(path).map(({ method }) => method))];
}
