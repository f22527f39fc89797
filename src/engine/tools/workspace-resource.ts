import { isAbsolute, normalize } from "node:path";

/** All files of the workspace together: what a command may change. */
export const WORKSPACE = "workspace";

/** The name by which calls wait for each other that have to do with one file, or with a folder and what is in it. */
export function workspaceResource(path: string): string {
  const name = normalize(path).replace(/(?<=.)\/+$/, "");
  // A whole path may lead to any file of the workspace by another name.
  return name === "." || isAbsolute(name) ? WORKSPACE : `${WORKSPACE}/${name}`;
}
