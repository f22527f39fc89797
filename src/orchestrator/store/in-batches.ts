const BATCH = 5000;

/** Repeats a delete of at most `limit` rows until none are left. One large delete could exceed the statement timeout. */
export async function inBatches(remove: (limit: number) => Promise<number>): Promise<number> {
  let total = 0;
  for (;;) {
    const removed = await remove(BATCH);
    total += removed;
    if (removed < BATCH) return total;
  }
}
