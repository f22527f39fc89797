import type { IncomingHttpHeaders } from "node:http";
import type { Response } from "express";
import type * as z from "zod/mini";
import { PAGE_LIMIT } from "../../contract/orchestrator-routes/route-row.ts";
import { integerParameter } from "../../shared/http/parameters.ts";
import { InvalidInput } from "../../shared/parse.ts";
import type { Product } from "../operations/identify-product.ts";
import type { Session } from "../status/sessions.ts";

/** One call as its route's handler gets it: authenticated, counted, its body JSON but not checked yet. */
export interface Call {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: IncomingHttpHeaders;
  /** Aborted when the client is gone. */
  readonly clientGone: AbortSignal;
  /** The calling product; throws on a route that does not authenticate one. */
  readonly product: Product;
  /** The session that authenticates the call; null when a key does. */
  readonly session: Session | null;
  /** Whether the key or session of the call is still good, for an answer that lasts. Rejects when that is not known. */
  isStillAdmitted(): Promise<boolean>;
  /** Checks the body; fields that nobody knows are named in `X-Ignored-Fields`. */
  body<S extends z.ZodMiniObject>(schema: S): z.output<S>;
  /** The body as it was received, on a route that does not read it as JSON; empty on others. */
  readonly bytes: Uint8Array;
  /**
   * Sends a list, a few at once of each product: a list takes as much time and memory as many other calls. A client
   * that reads slowly delays no lists but its own product's.
   */
  list(work: () => Promise<Answer>): Promise<undefined>;
  /** For an answer that is no JSON document. */
  readonly response: Response;
}

/** What a handler answers; undefined when it has answered by itself. */
export type Answer = { readonly status: number; readonly body: unknown; readonly secret?: boolean } | undefined;
export type Handler = (call: Call) => Answer | Promise<Answer>;

interface PageOptions {
  readonly after: string | null;
  readonly limit: number;
}

const ID = /^[a-z]{3}_[0-9a-f-]{36}$/;
/** How the ids of a list's records begin. */
type IdPrefix = "prd" | "eng" | "evt" | "sch" | "whk" | "run" | "ses";

const isId = (prefix: IdPrefix, text: string): boolean => text.startsWith(`${prefix}_`) && ID.test(text);

/** `prefix`: of the list's own records; a cursor of another list is refused, where it would give a wrong page. */
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

/** A page of records; a full one may have another behind it. */
export function pageOf(data: readonly { readonly id: string }[], limit: number): Answer {
  return { status: 200, body: { data, next_cursor: data.length === limit ? (data.at(-1)?.id ?? null) : null } };
}
