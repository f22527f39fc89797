/** The code of a system error, such as `ENOENT`. Empty for any other error. */
export const errorCode = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";

export const hasCode = (error: unknown, ...codes: readonly string[]): boolean => codes.includes(errorCode(error));

/** Null when the path does not exist. */
export async function unlessMissing<T>(read: Promise<T>): Promise<T | null> {
  try {
    return await read;
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR")) return null;
    throw error;
  }
}
