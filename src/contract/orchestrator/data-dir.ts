import { join } from "node:path";

/** The data folder when `ORCH_DATA_DIR` is unset. The command line looks for the admin key there. */
export function defaultDataDir({
  uid,
  home,
  xdgDataHome,
}: {
  readonly uid: number;
  readonly home: string | undefined;
  readonly xdgDataHome: string | undefined;
}): string {
  if (uid === 0) return "/var/lib/orchd";
  return join(xdgDataHome || join(home || "/tmp", ".local", "share"), "orchd");
}

/** The file with the id of the host. */
export const HOST_ID_FILE = "host-id";
/** The file with the URL of the daemon that listens. By both, orchctl knows a host of this machine at another address. */
export const ADDRESS_FILE = "address";

/** Files in the data folder that hold a secret. */
export const SECRET_FILES = [
  "admin-key",
  "secret-key",
  "secret-key.previous",
  "postgres-password",
  "postgres-daemon-password",
] as const;
