import type { Page } from "./record-types.ts";
import { OrchdError } from "./orchd-error.ts";

/** 200,000 records at 200 a page: more than one host can have of anything listed. */
const MAX_PAGES = 1000;

/** The items of a list. Each page is fetched when the one before it has been read. */
export async function* readPages<T>(fetchPage: (cursor: string | undefined) => Promise<Page<T>>): AsyncGenerator<T> {
  let cursor: string | undefined;
  for (let count = 0; count < MAX_PAGES; count++) {
    const page: Page<T> = await fetchPage(cursor);
    if (!Array.isArray(page.data)) throw invalidList("a page without data; check the address");
    yield* page.data;
    if (page.next_cursor === null) return;
    if (page.next_cursor === cursor) throw invalidList("the same cursor twice");
    cursor = page.next_cursor;
  }
  throw invalidList(`more than ${MAX_PAGES} pages`);
}

const invalidList = (what: string): OrchdError =>
  new OrchdError({ code: "BAD_ANSWER", message: `the list is not an answer of orchd: it has ${what}` });
