import type { EnvironmentReader } from "../../shared/environment.ts";
import { readInteger } from "../../contract/settings/engine-settings.ts";

export interface BrokerSettings {
  /** Of the daemon's own. Null: one that is free. */
  readonly port: number | null;
  /** The URL of one that runs apart, without a trailing slash. Null: the daemon's own. */
  readonly url: string | null;
  /** The secret that both share. Undefined: the deployment's. */
  readonly key: string | undefined;
}

/** Where the broker is, and what it shares with the daemon. */
export function readBroker(read: EnvironmentReader): BrokerSettings {
  const [text, key] = [read.text("ORCH_BROKER_URL"), read.text("ORCH_BROKER_KEY")];
  const url = text !== undefined && URL.canParse(text) ? new URL(text) : null;
  const isOrigin = url !== null && /^https?:$/.test(url.protocol) && url.search + url.hash + url.username === "";
  if (text !== undefined && !isOrigin)
    read.problem("ORCH_BROKER_URL: expected http://host:port without user, query and fragment");
  if (key !== undefined && key.length < 16) read.problem("ORCH_BROKER_KEY: expected at least 16 characters");
  return {
    port: readInteger(read, "ORCH_BROKER_PORT"),
    url: text?.replace(/\/+$/, "") ?? null,
    key,
  };
}
