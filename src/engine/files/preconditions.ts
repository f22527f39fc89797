import { EngineError } from "../engine-error.ts";

/** What a caller demands of a file before it is read or changed (RFC 9110, 13). */
export interface Preconditions {
  readonly ifMatch?: string | undefined;
  readonly ifNoneMatch?: string | undefined;
}

/** The `ETag` of a content. */
export const etagOf = (digest: string | null): string | null => (digest === null ? null : `"${digest}"`);

/** `etag`: of the file, null without one. `isThere`: a file that changes while it is read has no `ETag`. */
export function assertMatch(
  { ifMatch }: Preconditions,
  { etag, isThere }: { readonly etag: string | null; readonly isThere: boolean },
): void {
  if (ifMatch === undefined || (isThere && names(ifMatch, etag))) return;
  throw preconditionFailed(`If-Match: the file ${isThere ? "is another one" : "does not exist"}`, etag);
}

export const preconditionFailed = (message: string, etag: string | null): EngineError =>
  new EngineError("PRECONDITION_FAILED", message, { etag });

/** Whether a list of `ETag`s names this one, or any by `*`. */
export function names(list: string, etag: string | null): boolean {
  if (list.trim() === "*") return true;
  return etag !== null && list.split(",").some((one) => one.trim().replace(/^W\//, "") === etag);
}
