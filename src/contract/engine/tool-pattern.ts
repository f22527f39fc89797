import * as z from "zod/mini";

/** The name of a tool, or a prefix of names. */
export const toolPattern = z
  .string()
  .check(z.regex(/^(?:\*|[\w-]{1,64}\*?)$/, "expected a tool name, or a prefix that ends in *"));

export const matchesTool = (pattern: string, name: string): boolean =>
  pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
