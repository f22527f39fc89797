/**
 * Saves a key before it is shown once, since a reader that closes the pipe ends orchctl in the middle of
 * the output. A key that cannot be saved is shown nevertheless.
 */
export async function saveThenShow(save: () => Promise<void>, show: () => void): Promise<void> {
  try {
    await save();
  } finally {
    show();
  }
}
