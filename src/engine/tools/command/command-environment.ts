import { join } from "node:path";
import { LAUNCH_FILE_VARIABLE } from "../../../contract/engine/launch-file.ts";
import type { ProgramFolders } from "../../../sandbox/programs.ts";

const FALLBACK_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/**
 * The complete environment of a command: no key, no engine setting, no home folder with credentials. Caches are outside
 * of the workspace, which is the user's. The launch file's path marks processes that a killed engine left running, so
 * that the supervisor finds them.
 */
export function commandEnvironment(
  own: Readonly<Record<string, string | undefined>>,
  { workspace, temporary, cache }: ProgramFolders,
): Record<string, string> {
  const { PATH = FALLBACK_PATH, LANG = "C.UTF-8", TZ, [LAUNCH_FILE_VARIABLE]: launchFile } = own;
  return {
    PATH,
    LANG,
    HOME: workspace,
    TMPDIR: temporary,
    XDG_CACHE_HOME: cache,
    npm_config_cache: join(cache, "npm"),
    SHELL: "/bin/sh",
    TERM: "dumb",
    PAGER: "cat",
    GIT_TERMINAL_PROMPT: "0",
    ...(TZ !== undefined && { TZ }),
    ...(launchFile !== undefined && { [LAUNCH_FILE_VARIABLE]: launchFile }),
  };
}
