import type { Request, RequestHandler } from "express";
import { type KnowledgeHit, endFactRequest, knowledgeSearchRequest } from "../../contract/engine-api.ts";
import { MEMORY_PAGE_LIMIT } from "../../contract/engine-routes.ts";
import type { MemoryList } from "../../contract/memory-records.ts";
import { isoTime } from "../../shared/clock.ts";
import { integerParameter, parameter } from "../../shared/http/parameters.ts";
import { validateBody } from "../../shared/http/validate-body.ts";
import { InvalidInput } from "../../shared/parse.ts";
import { EngineError } from "../engine-error.ts";
import type { MemoryLists } from "../memory/memory-lists.ts";
import type { MemoryHit, MemorySearch } from "../memory/search/search-memory.ts";
import { endOf, startOf } from "../memory/search/time-range.ts";
import { trustName } from "../memory/trust.ts";

const LIMIT = 10;

export interface MemoryRouteParts {
  readonly memoryLists: Pick<MemoryLists, "page">;
  readonly memorySearch: Pick<MemorySearch, "search">;
  /** False when there is no such fact. */
  readonly endFact: (id: string) => Promise<boolean>;
}

/** The routes that read memory and end facts. */
export const memoryRoutes = ({ memoryLists, memorySearch, endFact }: MemoryRouteParts) => {
  const listing =
    (list: MemoryList): RequestHandler =>
    (request, response) => {
      const limit = integerParameter(request, "limit", MEMORY_PAGE_LIMIT);
      const { items, next_cursor: next } = memoryLists.page(list, { before: readCursor(request, list), limit });
      response.json({ items, next_cursor: next === null ? null : `${list}.${next}` });
    };
  return {
    listEpisodes: listing("episodes"),
    listKnowledge: listing("knowledge"),
    listSocial: listing("social"),
    listWorking: listing("working"),
    listTrajectories: listing("trajectories"),
    async endFact(request, response) {
      const { id } = validateBody(endFactRequest, request.body, response);
      if (!(await endFact(id))) throw new EngineError("NOT_FOUND", "no fact has this id");
      response.json({ id, ended: true });
    },
    async searchMemory(request, response) {
      const search = validateBody(knowledgeSearchRequest, request.body, response);
      const { query, limit = LIMIT, kinds, bearing, as_of: asOf, from, to } = search;
      if (from !== undefined && to !== undefined && startOf(from) >= endOf(to))
        throw new InvalidInput("from", `expected a time before to (${to}), got ${from}`);
      const hits = await memorySearch.search({
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
    },
  } satisfies Record<string, RequestHandler>;
};

/** A cursor names its list: another list's cursor would give a wrong page. */
function readCursor(request: Request, list: MemoryList): number | null {
  const cursor = parameter(request, "cursor");
  if (cursor === undefined) return null;
  const [name, number = ""] = cursor.split(".");
  if (name !== list || cursor !== `${name}.${number}` || !/^\d{1,15}$/.test(number))
    throw new InvalidInput("cursor", "expected the next_cursor of the previous page of this list");
  return Number(number);
}

const shown = (hit: MemoryHit): KnowledgeHit => ({
  id: hit.id,
  kind: hit.kind,
  bearing: hit.bearing,
  key: hit.key,
  content: hit.content,
  score: hit.score,
  source: hit.source,
  trust: trustName(hit.trust),
  created_at: isoTime(hit.createdAt),
  event_time: isoTime(hit.eventTime),
  valid_from: hit.validFrom === null ? null : isoTime(hit.validFrom),
  valid_to: hit.validTo === null ? null : isoTime(hit.validTo),
  evidence: hit.evidence,
});
