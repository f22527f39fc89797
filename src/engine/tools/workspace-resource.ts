import { isAbsolute, normalize } from "node:path";

/** All files of the workspace: what a command may change. */
export const WORKSPACE = "workspace";

/** Resource name that orders calls on one file, or on a folder and its contents. */
export function workspaceResource(path: string): string {
  const name = normalize(path).replace(/(?<=.)\/+$/, "");
  // An absolute path may be an alias of any file of the workspace.
  return name === "." || isAbsolute(name) ? WORKSPACE : `${WORKSPACE}/${name}`;
}
