import type { Request, RequestHandler } from "express";
import { correctProfileRequest } from "../../contract/engine/profile.ts";
import { endFactRequest, knowledgeSearchRequest } from "../../contract/engine/requests.ts";
import type { KnowledgeHit } from "../../contract/engine/memory.ts";
import { PAGE_LIMIT } from "../../contract/route-table.ts";
import type { MemoryList } from "../../contract/engine/memory-format.ts";
import { isoTime } from "../../shared/clock.ts";
import { integerParameter, parameter } from "../../shared/http/parameters.ts";
import { validateBody } from "../../shared/http/validate-body.ts";
import { InvalidInput } from "../../shared/parse.ts";
import { EngineError } from "../engine-error.ts";
import type { ProfileEditing } from "../learning/profile/profile-editing.ts";
import type { MemoryLists } from "../memory/memory-lists.ts";
import type { MemoryHit, MemorySearch } from "../memory/search/search-memory.ts";
import { endOf, startOf } from "../memory/search/time-range.ts";
import { trustName } from "../memory/trust.ts";

const LIMIT = 10;

export interface MemoryRouteParts {
  readonly memory: {
    readonly lists: Pick<MemoryLists, "page">;
    readonly search: Pick<MemorySearch, "search">;
    /** False when there is no such fact. */
    endFact(id: string): Promise<boolean>;
  };
  readonly profile: Pick<ProfileEditing, "read" | "correct" | "delete">;
}

/** The routes that read memory, end facts and correct the profile. */
export const memoryRoutes = ({ memory, profile }: MemoryRouteParts) => {
  const listing =
    (list: MemoryList): RequestHandler =>
    (request, response) => {
      const limit = integerParameter(request, "limit", PAGE_LIMIT);
      const { items, next_cursor: next } = memory.lists.page(list, { before: readCursor(request, list), limit });
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
      if (!(await memory.endFact(id))) throw new EngineError("NOT_FOUND", "no fact has this id");
      response.json({ id, ended: true });
    },
    getProfile(_request, response) {
      response.json(profile.read());
    },
    async correctProfileLine(request, response) {
      const { text } = validateBody(correctProfileRequest, request.body, response);
      response.json(await profile.correct(lineOf(request), text));
    },
    async deleteProfileLine(request, response) {
      const id = lineOf(request);
      await profile.delete(id);
      response.json({ id, deleted: true });
    },
    async searchMemory(request, response) {
      const search = validateBody(knowledgeSearchRequest, request.body, response);
      const { query, limit = LIMIT, kinds, bearing, as_of: asOf, from, to } = search;
      if (from !== undefined && to !== undefined && startOf(from) >= endOf(to))
        throw new InvalidInput("from", `expected a time before to (${to}), got ${from}`);
      const hits = await memory.search.search({
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

const lineOf = (request: Request): string => String(request.params["line_id"]);

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
