import type { Request, RequestHandler } from "express";
import { type KnowledgeHit, knowledgeSearchRequest } from "../../contract/engine-api.ts";
import { MEMORY_PAGE_LIMIT } from "../../contract/engine-routes.ts";
import type { MemoryList } from "../../contract/memory-records.ts";
import { integerParameter, parameter } from "../../shared/http/parameters.ts";
import { validateBody } from "../../shared/http/validate-body.ts";
import { InvalidInput } from "../../shared/parse.ts";
import type { MemoryLists } from "../memory/memory-lists.ts";
import type { MemoryHit, MemorySearch } from "../memory/search/search-memory.ts";
import { endOf, startOf } from "../memory/search/time-range.ts";
import { trustName } from "../memory/trust.ts";

const LIMIT = 10;

/** One kind of what is remembered, a page at a time. A cursor names its list: of another one it would give a wrong page. */
export const memoryListRoute =
  (lists: Pick<MemoryLists, "page">, list: MemoryList): RequestHandler =>
  (request, response) => {
    const limit = integerParameter(request, "limit", MEMORY_PAGE_LIMIT);
    const { items, next_cursor: next } = lists.page(list, { before: readCursor(request, list), limit });
    response.json({ items, next_cursor: next === null ? null : `${list}.${next}` });
  };

function readCursor(request: Request, list: MemoryList): number | null {
  const cursor = parameter(request, "cursor");
  if (cursor === undefined) return null;
  const [name, number = ""] = cursor.split(".");
  if (name !== list || cursor !== `${name}.${number}` || !/^\d{1,15}$/.test(number))
    throw new InvalidInput("cursor", "expected the next_cursor of a page before of this list");
  return Number(number);
}

export const memorySearchRoute =
  (memory: Pick<MemorySearch, "search">): RequestHandler =>
  async (request, response) => {
    const search = validateBody(knowledgeSearchRequest, request.body, response);
    const { query, limit = LIMIT, kinds, bearing, as_of: asOf, from, to } = search;
    if (from !== undefined && to !== undefined && startOf(from) >= endOf(to))
      throw new InvalidInput("from", `expected a time before to (${to}), got ${from}`);
    const hits = await memory.search({
      query,
      limit,
      now: Date.now(),
      ...(kinds && { kinds }),
      ...(bearing && { bearing }),
      ...(asOf && { asOf: endOf(asOf) }),
      ...(from && { from: startOf(from) }),
      ...(to && { to: endOf(to) }),
    });
    response.json({ results: hits.map(shown) });
  };

const shown = (hit: MemoryHit): KnowledgeHit => ({
  id: hit.id,
  kind: hit.kind,
  bearing: hit.bearing,
  key: hit.key,
  content: hit.content,
  score: hit.score,
  source: hit.source,
  trust: trustName(hit.trust),
  created_at: iso(hit.createdAt),
  event_time: iso(hit.eventTime),
  valid_from: hit.validFrom === null ? null : iso(hit.validFrom),
  valid_to: hit.validTo === null ? null : iso(hit.validTo),
  evidence: hit.evidence,
});

const iso = (time: number): string => new Date(time).toISOString();
