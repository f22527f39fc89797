import { sha256 } from "../../contract/orchestrator/api-keys.ts";
import type { ServerConfig } from "./server-config.ts";

/** The tools that a server listed, by their names: the hash of each definition, that of a held one included. */
export interface Listing {
  readonly at: number;
  readonly hashes: ReadonlyMap<string, string>;
}

/** What earlier processes of this engine saw of its servers; persistent. */
export interface KnownServers {
  /** Null for a server without an entry at this address. */
  find(server: string, address: string): { readonly waited: boolean; readonly listing: Listing | null } | null;
  listed(server: string, address: string, listing: Listing): void;
  /** A turn has waited for its first listing. */
  waited(server: string, address: string): void;
}

/** Older listings are renewed during the next turn. */
const MAX_AGE_MS = 3_600_000;

export const isOutdated = ({ at }: Listing, now: number): boolean => now - at > MAX_AGE_MS || at > now;

/**
 * What makes it the same server: the program or URL, without settings that may be renewed, such as a token in its
 * headers. The definitions are pinned by the server's name, whatever its address.
 */
export function serverAddress(server: ServerConfig): string {
  const parts =
    server.transport === "stdio"
      ? [server.transport, server.command, server.args, server.cwd]
      : [server.transport, server.url];
  return sha256(JSON.stringify(parts));
}
