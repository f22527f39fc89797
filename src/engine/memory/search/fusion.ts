/** The constant of the paper on reciprocal rank fusion (Cormack 2009). */
const K = 60;

/** Reciprocal rank fusion: an item high in several lists comes before one high in a single list. */
export function fuse<Item>(lists: readonly (readonly Item[])[]): Map<Item, number> {
  const scores = new Map<Item, number>();
  for (const items of lists) {
    for (const [index, item] of items.entries()) scores.set(item, (scores.get(item) ?? 0) + 1 / (K + index + 1));
  }
  return scores;
}
