export type Variables = Readonly<Record<string, string>>;

/** `${NAME}` and `${NAME:-default}` replaced by what is known; names without a value are given back. */
export function expandVariables(
  text: string,
  known: Variables,
): { readonly value: string; readonly unknown: readonly string[] } {
  const unknown: string[] = [];
  const value = text.replaceAll(
    /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g,
    (whole, name: string, otherwise: string | undefined) => {
      const found = Object.hasOwn(known, name) ? known[name] : otherwise;
      if (found === undefined) unknown.push(name);
      return found ?? whole;
    },
  );
  return { value, unknown };
}
