/**
 * A key that is shown only now is kept first: whoever reads the output may leave in the middle of it, which ends
 * orchctl. Where it cannot be kept it is shown all the same.
 */
export async function keepThenShow(keep: () => Promise<void>, show: () => void): Promise<void> {
  try {
    await keep();
  } finally {
    show();
  }
}
