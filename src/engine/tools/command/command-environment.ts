import { LAUNCH_FILE_VARIABLE } from "../../../contract/engine-launch.ts";

const FALLBACK_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/**
 * All that a command's environment holds, made from nothing: no key, no setting of the engine, no home folder with
 * somebody's credentials. The path of the launch file, which is gone by then, is the mark by which a supervisor finds
 * what an engine that was killed has left running.
 */
export function commandEnvironment(
  own: Readonly<Record<string, string | undefined>>,
  workspaceDir: string,
): Record<string, string> {
  const { PATH = FALLBACK_PATH, LANG = "C.UTF-8", TZ, [LAUNCH_FILE_VARIABLE]: launchFile } = own;
  return {
    PATH,
    LANG,
    HOME: workspaceDir,
    SHELL: "/bin/sh",
    TERM: "dumb",
    PAGER: "cat",
    GIT_TERMINAL_PROMPT: "0",
    ...(TZ !== undefined && { TZ }),
    ...(launchFile !== undefined && { [LAUNCH_FILE_VARIABLE]: launchFile }),
  };
}
