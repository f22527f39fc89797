export type PathParams = Readonly<Record<string, string>>;

/** The parameters of a path that fits a pattern such as `/engines/:engine`; null if it does not fit. */
export function matchPath(pattern: string, path: string): PathParams | null {
  const expected = segmentsOf(pattern);
  const given = segmentsOf(path);
  if (expected.length !== given.length) return null;
  const params: Record<string, string> = {};
  for (const [index, name] of expected.entries()) {
    const text = decoded(given[index] ?? "");
    if (text === null) return null;
    if (name.startsWith(":")) params[name.slice(1)] = text;
    else if (name !== text) return null;
  }
  return params;
}

/** The path of a pattern with its parameters filled in. */
export const fillPath = (pattern: string, params: PathParams): string =>
  pattern.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ""));

const segmentsOf = (path: string): readonly string[] => path.split("/").filter((segment) => segment !== "");

function decoded(segment: string): string | null {
  try {
    return decodeURIComponent(segment);
  } catch {
    // A link with a damaged escape leads nowhere.
    return null;
  }
}
