import { readFile, stat } from "node:fs/promises";
import { NO_SERVERS, type ServersConfig, parseToolServers } from "./server-config.ts";
import type { Variables } from "./variables.ts";

const MAX_BYTES = 1024 * 1024;

/** What a catalog's `.mcp.json` says; without the file there are no servers. */
export async function readToolServers(file: string, variables: Variables): Promise<ServersConfig> {
  try {
    const { size } = await stat(file);
    if (size > MAX_BYTES) return unreadable(`expected at most ${MAX_BYTES} bytes`);
    return parseToolServers(await readFile(file, "utf8"), variables);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
    return code === "ENOENT" ? NO_SERVERS : unreadable(`cannot be read (${code})`);
  }
}

const unreadable = (message: string): ServersConfig => ({
  servers: [],
  errors: [{ name: null, transport: "stdio", path: ".mcp.json", message }],
});
