import type { RequestHandler } from "express";
import { type KnowledgeHit, knowledgeSearchRequest } from "../../contract/engine-api.ts";
import { InvalidInput } from "../../shared/parse.ts";
import type { MemoryHit, MemorySearch } from "../memory/search/search-memory.ts";
import { endOf, startOf } from "../memory/search/time-range.ts";
import { trustName } from "../memory/trust.ts";
import { validateBody } from "../../shared/http/validate-body.ts";

const LIMIT = 10;

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
