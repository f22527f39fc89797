import * as z from "zod/mini";
import { formatHostPattern, readHostPattern } from "../../sandbox/proxy.ts";

/** An entry of a list of hosts, in its canonical form. */
export const hostPattern = z.string().check(
  z.check(({ value, issues }) => {
    const { problem } = readHostPattern(value);
    if (problem !== null) issues.push({ code: "custom", message: problem, input: value, continue: true });
  }),
  z.overwrite((text) => {
    const { pattern } = readHostPattern(text);
    return pattern === null ? text : formatHostPattern(pattern);
  }),
);
