import { InvalidInput } from "../../shared/parse.ts";
import { MAX_NAME_BYTES, MAX_PATH_BYTES } from "../../contract/engine/file-limits.ts";

/** In the workspace, but of the engine: attachments and long outputs. Callers may read it. */
export const OWN_FOLDER = ".orch";
/** Of files that a tool is writing. */
export const DRAFT_PREFIX = ".orch-draft-";
/** What a decoder makes of bytes that are not UTF-8: the name that they stand for cannot be told. */
const NOT_UTF_8 = "\uFFFD";

/**
 * The names of a path, none for the workspace itself. A path is relative and leads down only, so that it needs no resolving.
 * Throws `InvalidInput`.
 */
export function namesOf(path: string, field = "path"): readonly string[] {
  if (path.includes("\0")) throw new InvalidInput(field, "expected no NUL character");
  if (!path.isWellFormed() || path.includes(NOT_UTF_8)) throw new InvalidInput(field, "expected UTF-8");
  if (path.startsWith("/")) throw new InvalidInput(field, "expected a path in the workspace, without a leading /");
  if (Buffer.byteLength(path) > MAX_PATH_BYTES)
    throw new InvalidInput(field, `expected at most ${MAX_PATH_BYTES} bytes`);
  const names = path.split("/").filter((name) => name !== "" && name !== ".");
  if (names.includes("..")) throw new InvalidInput(field, "expected no ..");
  if (names.some((name) => Buffer.byteLength(name) > MAX_NAME_BYTES))
    throw new InvalidInput(field, `expected names of at most ${MAX_NAME_BYTES} bytes`);
  return names;
}

/** As {@link namesOf}, of something in the workspace. */
export function namesWithin(path: string, field = "path"): readonly string[] {
  const names = namesOf(path, field);
  if (names.length === 0) throw new InvalidInput(field, "expected the path of a file or folder in the workspace");
  return names;
}

/** As {@link namesWithin}, of something that callers may change. */
export function changeableNames(path: string, field = "path"): readonly string[] {
  const names = namesWithin(path, field);
  if (names[0] === OWN_FOLDER)
    throw new InvalidInput(field, `expected no path in ${OWN_FOLDER}, which is the engine's`);
  return names;
}
