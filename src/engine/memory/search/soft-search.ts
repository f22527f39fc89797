import { rangeOf } from "./index-rows.ts";
import { Table } from "../../store/table.ts";
import type { AskedWord } from "./asked-words.ts";

/** Rows that one search reads; each costs half a microsecond. With 6000, no figure is better. */
const ROW_BUDGET = 2000;
/** A term of more rows says little, unless it is the question's own. */
const MAX_ROWS = { own: 200, related: 60 } as const;
/** Terms that one search looks up, beside the question's own. At 50, one of 56 everyday questions less finds its answer. */
const MAX_TERMS = 64;

/** Of a row, and the word of the question that was counted last. */
interface Weight {
  weight: number;
  at: number;
}

/** Rows that have words of the question or related words. */
export class SoftSearch extends Table {
  readonly #rows = this.db.prepare(
    `select group_concat(row) as rows from
     (select rowid as row from memory_index where memory_index match ? order by rowid desc limit ?)`,
  );

  /** Rows by the weight of the question that they match, the best first; no closed facts. */
  best(asked: readonly AskedWord[], limit: number): readonly number[] {
    const weights = [...this.#weights(asked)].filter(([row]) => rangeOf(row) !== "closed_fact");
    const least =
      Float64Array.from(weights, ([, { weight }]) => weight)
        .toSorted()
        .at(-limit) ?? 0;
    return weights
      .filter(([, { weight }]) => weight >= least)
      .sort(([, one], [, other]) => other.weight - one.weight)
      .slice(0, limit)
      .map(([row]) => row);
  }

  /** Each row counts with the best of the terms of a word. */
  #weights(asked: readonly AskedWord[]): ReadonlyMap<number, Weight> {
    const weights = new Map<number, Weight>();
    for (const { at, value, rows } of this.#read(asked).sort((one, other) => one.at - other.at)) {
      for (const row of rows) {
        const known = weights.get(row);
        if (known === undefined) weights.set(row, { weight: value, at });
        else if (known.at !== at) Object.assign(known, { weight: known.weight + value, at });
      }
    }
    return weights;
  }

  /** The terms that count most are read first, until the budget is used. */
  #read(asked: readonly AskedWord[]) {
    let left = ROW_BUDGET;
    return termsOf(asked).flatMap(({ term, own, ...one }) => {
      const rows = left <= 0 ? [] : this.#rowsOf(term, own ? MAX_ROWS.own : MAX_ROWS.related);
      left -= rows.length;
      return rows.length === 0 ? [] : { ...one, rows };
    });
  }

  #rowsOf(term: string, limit: number): readonly number[] {
    const rows = this.#rows.get(`"${term}"`, limit)?.["rows"];
    return typeof rows === "string" ? rows.split(",").map(Number) : [];
  }
}

function termsOf(asked: readonly AskedWord[]) {
  return asked
    .flatMap(({ word, weight, matches }, at) =>
      [...matches].map(([term, share]) => ({ at, term, own: term === word, value: weight * share })),
    )
    .sort((one, other) => other.value - one.value)
    .filter(({ own }, at) => own || at < MAX_TERMS);
}
