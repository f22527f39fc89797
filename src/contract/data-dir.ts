import { join } from "node:path";

/** Where the daemon keeps its data, and the command line looks for the admin key, unless `ORCH_DATA_DIR` says otherwise. */
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
