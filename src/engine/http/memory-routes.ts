import type { RequestHandler } from "express";
import type { MemoryList } from "../../contract/memory-records.ts";
import { InvalidInput } from "../../kit/parse.ts";
import type { MemoryLists } from "../memory/memory-lists.ts";
import { integerParameter, parameter } from "./call.ts";

const LIMIT = { min: 1, max: 200, fallback: 50 } as const;

/** One kind of what is remembered, a page at a time. */
export const memoryListRoute =
  (lists: Pick<MemoryLists, "page">, list: MemoryList): RequestHandler =>
  (request, response) => {
    const limit = integerParameter(request, "limit", LIMIT);
    const cursor = parameter(request, "cursor");
    if (cursor !== undefined && !/^\d{1,15}$/.test(cursor))
      throw new InvalidInput("cursor", "expected the next_cursor of a page before");
    response.json(lists.page(list, { before: cursor === undefined ? null : Number(cursor), limit }));
  };
