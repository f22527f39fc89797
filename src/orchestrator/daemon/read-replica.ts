import type { EnvironmentReader } from "../../shared/environment.ts";

const HOST_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;

/** The name that all replicas share. Undefined: the one of the data folder. */
export function readHostId(read: EnvironmentReader): string | undefined {
  const text = read.text("ORCH_HOST_ID");
  if (text !== undefined && !HOST_ID.test(text))
    read.problem(`ORCH_HOST_ID: expected 1 to 63 of letters, digits, ".", "_" and "-", got "${text}"`);
  return text;
}

/** The URL at which other replicas call this one. Null: no replicas. */
export function readReplicaUrl(read: EnvironmentReader): string | null {
  const text = read.text("ORCH_REPLICA_URL");
  if (text === undefined) return null;
  const url = URL.canParse(text) ? new URL(text) : null;
  const isOrigin = url?.protocol === "http:" && url.pathname + url.search + url.hash + url.username === "/";
  if (!isOrigin) read.problem(`ORCH_REPLICA_URL: expected http://host:port, got "${text}"`);
  return text.replace(/\/+$/, "");
}
