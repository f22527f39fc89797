/** The code of a system, SQLite or PostgreSQL error, such as `ENOENT` or `57P03`. Empty for any other error. */
export const errorCode = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";

export const hasCode = (error: unknown, ...codes: readonly string[]): boolean => codes.includes(errorCode(error));
