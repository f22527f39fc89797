import type { Command } from "commander";
import { Credentials } from "./credentials.ts";
import { OrchestratorClient } from "./orchestrator-client.ts";
import { type Printer, createPrinter } from "./output.ts";
import type { Settings } from "./settings.ts";

/** What a command works with, made from the global options when it runs. */
export interface Session {
  readonly client: OrchestratorClient;
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
  const credentials = new Credentials(found);
  return {
    settings: found,
    credentials,
    client: new OrchestratorClient(found, credentials, product),
    print: createPrinter({ json, colour: settings.colour }),
  };
}

/** A command's `Example:` under its help. */
export const example = (text: string): string => `\nExample:\n  $ ${text}`;
