import type { IncomingHttpHeaders } from "node:http";
import type { Response } from "express";
import type * as z from "zod/mini";
import { PAGE_LIMIT } from "../../contract/route-table.ts";
import { integerParameter } from "../../shared/http/parameters.ts";
import { InvalidInput } from "../../shared/parse.ts";
import type { Product } from "../operations/identify-product.ts";
import type { Session } from "../status/sessions.ts";

/** A call as its handler gets it: authenticated and counted, with a parsed body that is not validated yet. */
export interface Call {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: IncomingHttpHeaders;
  /** Aborted when the client closes the connection. */
  readonly clientGone: AbortSignal;
  /** The calling product; throws on a route that does not authenticate one. */
  readonly product: Product;
  /** The session that authenticates the call; null when a key does. */
  readonly session: Session | null;
  /** Whether the key or session is still valid, for streamed responses. Rejects when the database cannot tell. */
  isStillAdmitted(): Promise<boolean>;
  /** Charges the rest of the cost on a route that looks up first. Throws RATE_LIMITED when it exceeds the limit. */
  readonly chargeRest: () => void;
  /** Validates the body. Unknown fields are listed in `X-Ignored-Fields`. */
  body<S extends z.ZodMiniObject>(schema: S): z.output<S>;
  /** The body as it was received, on a route that does not read it as JSON; empty on others. */
  readonly bytes: Uint8Array;
  /**
   * Sends a list. Concurrent lists of a product are limited, since a list takes as much time and memory as many calls. A
   * slow reader delays only the lists of its product.
   */
  list(work: () => Promise<Answer>): Promise<undefined>;
  /** For a response that is not JSON. */
  readonly response: Response;
}

/** The response of a handler; undefined when the handler has sent it. `secret`: it must not be cached. */
export type Answer = { readonly status: number; readonly body: unknown; readonly secret?: boolean } | undefined;
export type Handler = (call: Call) => Answer | Promise<Answer>;

interface PageOptions {
  readonly after: string | null;
  readonly limit: number;
}

const ID = /^[a-z]{3}_[0-9a-f-]{36}$/;
/** The prefixes of record ids. */
type IdPrefix = "prd" | "eng" | "evt" | "sch" | "whk" | "run" | "ses" | "ntf";

const isId = (prefix: IdPrefix, text: string): boolean => text.startsWith(`${prefix}_`) && ID.test(text);

/** The cursor and limit of a list. `prefix`: of its records' ids, since a cursor of another list would be wrong. */
export function pageParameters(call: Call, prefix: IdPrefix): PageOptions {
  const after = call.query["cursor"] ?? null;
  if (after !== null && !isId(prefix, after))
    throw new InvalidInput("cursor", `expected the next_cursor of the previous page of this list (${prefix}_…)`);
  return { after, limit: integerParameter(call, "limit", PAGE_LIMIT) };
}

/** The event that a reader saw last, by its `Last-Event-ID`. */
export function eventIdHeader({ headers }: Call): string | null {
  const id = headers["last-event-id"];
  if (id === undefined || id === "") return null;
  if (typeof id !== "string" || !isId("evt", id))
    throw new InvalidInput("Last-Event-ID", "expected the id of an event");
  return id;
}

/** A page of records. A full page has a cursor for the next one. */
export function pageOf(data: readonly { readonly id: string }[], limit: number): Answer {
  return { status: 200, body: { data, next_cursor: data.length === limit ? (data.at(-1)?.id ?? null) : null } };
}
