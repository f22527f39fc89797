import type { Request, RequestHandler } from "express";
import { MEMORY_PAGE_LIMIT } from "../../contract/engine-routes.ts";
import type { MemoryList } from "../../contract/memory-records.ts";
import { InvalidInput } from "../../shared/parse.ts";
import type { MemoryLists } from "../memory/memory-lists.ts";
import { integerParameter, parameter } from "../../shared/http/parameters.ts";

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
