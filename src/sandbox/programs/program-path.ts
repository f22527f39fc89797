import { realpathSync } from "node:fs";
import { delimiter, dirname, isAbsolute, relative } from "node:path";
import { PROGRAMS } from "./system-files.ts";

/**
 * The `PATH` of a confined program: without folders that it may not read, such as one in a home folder. A shell that
 * finds a program there and may not start it does not look further.
 */
export function readableProgramPath(path: string, readable: readonly string[]): string {
  const places = [...PROGRAMS, ...readable, dirname(process.execPath)].flatMap(realPaths);
  const isReadable = (folder: string) => realPaths(folder).some((real) => isWithinAny(real, places));
  return path.split(delimiter).filter(isReadable).join(delimiter);
}

/** The path without links; none for one that does not exist. */
export function realPaths(path: string): readonly string[] {
  try {
    return [realpathSync(path)];
  } catch {
    return [];
  }
}

/** Whether an absolute path is one of the places or below one. It follows no links. */
export const isWithinAny = (path: string, places: readonly string[]): boolean =>
  places.some((place) => {
    const below = relative(place, path);
    return below === "" || !(below === ".." || below.startsWith("../") || isAbsolute(below));
  });
