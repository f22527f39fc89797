import { mergeServers } from "./merge-servers.ts";
import { type EntryContext, type InvalidServer, parseToolServers } from "./server-config.ts";

/** `count` is the number of valid servers; `problems` has those of each text. */
export type ServerCheck = (texts: readonly string[]) => {
  readonly count: number;
  readonly problems: readonly (readonly Pick<InvalidServer, "path" | "line" | "message">[])[];
};

export const checkServers =
  (context: EntryContext): ServerCheck =>
  (texts) => {
    const configs = texts.map((text) => parseToolServers(text, context));
    const problems = configs.map(({ errors }) => errors.map(({ path, line, message }) => ({ path, line, message })));
    return { count: mergeServers(configs).servers.length, problems };
  };
