import { readHostPattern } from "../../contract/host-pattern.ts";
import { type SandboxPlaces, readSandboxPath } from "../isolation/sandbox-paths.ts";
import type { SandboxRequest } from "../isolation/tool-launcher.ts";
import type { EntryProblem, ServerEntry } from "./server-entry.ts";

/** What an entry's `sandbox` asks for, with absolute paths, and each of its problems. */
export function readServerSandbox(
  { network, write, read }: NonNullable<ServerEntry["sandbox"]>,
  places: SandboxPlaces,
): { readonly sandbox: SandboxRequest; readonly problems: readonly EntryProblem[] } {
  const problems: EntryProblem[] = [];
  const absolute = (access: "read" | "write", paths: readonly string[]) =>
    paths.map((text, index) => {
      const { path, problem } = readSandboxPath(text, { access, places });
      if (problem !== null) problems.push([["sandbox", access, String(index)], problem]);
      return path;
    });
  if (Array.isArray(network)) {
    for (const [index, text] of network.entries()) {
      const { problem } = readHostPattern(text);
      if (problem !== null) problems.push([["sandbox", "network", String(index)], problem]);
    }
  }
  const sandbox = {
    ...(network !== undefined && { network }),
    ...(write !== undefined && { write: absolute("write", write) }),
    ...(read !== undefined && { read: absolute("read", read) }),
  };
  return { sandbox, problems };
}
