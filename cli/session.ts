import type { Command } from "commander";
import { Credentials } from "./credentials.ts";
import { DaemonClient } from "./daemon-client.ts";
import { isOwnHost } from "./pair-host.ts";
import { type Printer, createPrinter } from "./output.ts";
import type { Settings } from "./settings.ts";

/** A command's dependencies, created from the global options when it runs. */
export interface Session {
  readonly client: DaemonClient;
  readonly credentials: Credentials;
  readonly print: Printer;
  readonly settings: Settings;
}

/** Adds one command to its group. */
export type CommandMaker = (group: Command, settings: Settings) => void;

export function sessionOf(command: Command, settings: Settings): Session {
  const {
    json = false,
    product,
    url = settings.url,
  } = command.optsWithGlobals<{ json?: boolean; product?: string; url?: string }>();
  const found = { ...settings, url };
  const credentials: Credentials = new Credentials({
    ...found,
    hostId: async () => {
      const { host_id: hostId } = await client.open((daemon) => daemon.health());
      return typeof hostId === "string" ? hostId : null;
    },
    isOwnHost: (hostId) => isOwnHost(hostId, found),
  });
  const client = new DaemonClient(found, credentials, product);
  return {
    settings: found,
    credentials,
    client,
    print: createPrinter({ json, colour: settings.colour }),
  };
}

/** A command's `Example:` under its help. */
export const example = (text: string): string => `\nExample:\n  $ ${text}`;
