import { join } from "node:path";
import { LAUNCH_FILE_VARIABLE } from "../../../contract/engine/launch-file.ts";
import type { ProgramFolders } from "../../../sandbox/programs.ts";

const FALLBACK_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** Of the engine's environment: the path of what tools trust, where the broker ends their TLS. */
export const TRUSTED_VARIABLE = "ORCH_TOOL_CERTIFICATES";
/** The variables in which programs look for certificates: OpenSSL, Node.js, git, curl, Python and pip, AWS, Rust, Deno. */
const TRUST_VARIABLES = [
  "SSL_CERT_FILE",
  "NODE_EXTRA_CA_CERTS",
  "GIT_SSL_CAINFO",
  "CURL_CA_BUNDLE",
  "REQUESTS_CA_BUNDLE",
  "PIP_CERT",
  // In an npmrc of the host it would count in the place of NODE_EXTRA_CA_CERTS.
  "npm_config_cafile",
  "AWS_CA_BUNDLE",
  "CARGO_HTTP_CAINFO",
  "DENO_CERT",
] as const;

/**
 * The complete environment of a command: no key, no engine setting, no home folder with credentials. Caches are outside
 * of the workspace, which is the user's. The launch file's path marks processes that a killed engine left running, so
 * that the supervisor finds them.
 */
export function commandEnvironment(
  own: Readonly<Record<string, string | undefined>>,
  { workspace, temporary, cache }: ProgramFolders,
): Record<string, string> {
  const {
    PATH = FALLBACK_PATH,
    LANG = "C.UTF-8",
    TZ,
    [LAUNCH_FILE_VARIABLE]: launchFile,
    [TRUSTED_VARIABLE]: trusted,
  } = own;
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
    ...(trusted !== undefined && Object.fromEntries(TRUST_VARIABLES.map((name) => [name, trusted]))),
    ...(launchFile !== undefined && { [LAUNCH_FILE_VARIABLE]: launchFile }),
  };
}
