import { type PathParams, matchPath } from "../routing/path-pattern.ts";
import type { View } from "../views/view.ts";
import { VIEWS } from "../views/view-table.ts";

/** The view at a path, with the parameters of the path. */
export function viewAt(path: string): { readonly view: View | null; readonly params: PathParams } {
  for (const view of VIEWS) {
    const params = matchPath(view.path, path);
    if (params !== null) return { view, params };
  }
  return { view: null, params: {} };
}
