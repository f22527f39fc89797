import { rangeOf } from "./index-rows.ts";
import { Table } from "../../store/table.ts";
import type { AskedWord } from "./asked-words.ts";

/** Rows that one search reads; each costs half a microsecond. */
const ROW_BUDGET = 6000;
/** A term of more rows says little, unless it is the question's own. */
const MAX_ROWS = { own: 600, related: 200 } as const;

/** Rows that have words of the question or related words. */
export class SoftSearch extends Table {
  readonly #rows = this.db.prepare(
    `select group_concat(row) as rows from
     (select rowid as row from memory_index where memory_index match ? order by rowid desc limit ?)`,
  );

  /** Rows by the weight of the question that they match, the best first; no closed facts. */
  best(asked: readonly AskedWord[], limit: number): readonly number[] {
    return [...this.#weights(asked)]
      .filter(([row]) => rangeOf(row) !== "closed_fact")
      .sort(([, one], [, other]) => other - one)
      .slice(0, limit)
      .map(([row]) => row);
  }

  /** The terms that count most are read first, until the budget is used. */
  #weights(asked: readonly AskedWord[]): ReadonlyMap<number, number> {
    const best = asked.map(() => new Map<number, number>());
    let left = ROW_BUDGET;
    for (const { at, term, share, own } of termsOf(asked)) {
      if (left <= 0) break;
      const limit = own ? MAX_ROWS.own : MAX_ROWS.related;
      const rows = this.#rowsOf(term, limit);
      left -= rows.length;
      const found = best[at];
      // Terms come in falling order of their share.
      for (const row of rows) if (found?.has(row) === false) found.set(row, share);
    }
    const weights = new Map<number, number>();
    for (const [at, { weight }] of asked.entries())
      for (const [row, share] of best[at] ?? []) weights.set(row, (weights.get(row) ?? 0) + weight * share);
    return weights;
  }

  #rowsOf(term: string, limit: number): readonly number[] {
    const rows = this.#rows.get(`"${term}"`, limit)?.["rows"];
    return typeof rows === "string" ? rows.split(",").map(Number) : [];
  }
}

function termsOf(asked: readonly AskedWord[]) {
  return asked
    .flatMap(({ word, weight, matches }, at) =>
      [...matches].map(([term, share]) => ({ at, term, share, own: term === word, value: weight * share })),
    )
    .sort((one, other) => other.value - one.value);
}
