const K = 60;

/**
 * Reciprocal rank fusion: what stands high in several lists comes before what stands high in one. The scores by which
 * each list was made need not be comparable.
 */
export function fuse<Item>(
  lists: readonly { readonly items: readonly Item[]; readonly weight: number }[],
): Map<Item, number> {
  const scores = new Map<Item, number>();
  for (const { items, weight } of lists) {
    for (const [index, item] of items.entries()) {
      scores.set(item, (scores.get(item) ?? 0) + weight / (K + index + 1));
    }
  }
  return scores;
}
