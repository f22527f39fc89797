/** A round of a conversation, a fact, or an entry of working memory. */
export type ItemKind = "episode" | "fact" | "note";

/**
 * Row ids of each kind of item in the index: the number in its own table plus an offset. A range of row ids then limits
 * a search to one kind at no cost, and separates closed facts from current ones.
 */
export const INDEX_RANGES = {
  episode: 0,
  fact: 2 ** 40,
  closed_fact: 2 ** 41,
  note: 3 * 2 ** 40,
} as const;
export type IndexRange = keyof typeof INDEX_RANGES;

const SIZE = 2 ** 40;

export const indexRow = (range: IndexRange, number: number): number => INDEX_RANGES[range] + number;

export const rangeOf = (row: number): IndexRange =>
  row < INDEX_RANGES.fact
    ? "episode"
    : row < INDEX_RANGES.closed_fact
      ? "fact"
      : row < INDEX_RANGES.note
        ? "closed_fact"
        : "note";

export const numberOf = (row: number): number => row % SIZE;

export const kindOf = (row: number): ItemKind => {
  const range = rangeOf(row);
  return range === "closed_fact" ? "fact" : range;
};

/** First and last row of a range. */
export const boundsOf = (range: IndexRange): readonly [number, number] => [
  INDEX_RANGES[range],
  INDEX_RANGES[range] + SIZE - 1,
];
