/** A host of a secret, and the address by which tools reach it with the secret. */
interface SecretAddress {
  readonly host: string;
  readonly url: string;
  /** The address of a registry of npm there. */
  readonly registry: (url: URL) => string;
}

/** Variables of package managers whose value is an index. */
const INDEXES = ["PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "UV_INDEX_URL", "UV_DEFAULT_INDEX"];
/** The entry of the proxy comes first. */
const FIRST_GIT_ENTRY = 1;

/**
 * The variables with which git, npm and pip use the addresses of secrets by themselves: git for every URL of their hosts,
 * the others for a registry of such a host that the entry names.
 */
export function knownTools(
  env: Readonly<Record<string, string>>,
  addresses: readonly SecretAddress[],
): Record<string, string> {
  const rewritten = (text: string): string => {
    for (const { host, url } of addresses)
      if (text === `https://${host}` || text.startsWith(`https://${host}/`))
        return url + text.slice(`https://${host}`.length);
    return text;
  };
  const indexes = INDEXES.flatMap((name) => (env[name] === undefined ? [] : [[name, rewritten(env[name])] as const]));
  const registry = registryOf(env["npm_config_registry"], addresses);
  const git = addresses.flatMap(({ host, url }, at) => [
    [`GIT_CONFIG_KEY_${FIRST_GIT_ENTRY + at}`, `url.${url}/.insteadOf`] as const,
    [`GIT_CONFIG_VALUE_${FIRST_GIT_ENTRY + at}`, `https://${host}/`] as const,
  ]);
  return {
    ...env,
    ...Object.fromEntries(indexes),
    ...(registry !== null && { npm_config_registry: registry, npm_config_replace_registry_host: "always" }),
    GIT_CONFIG_COUNT: String(FIRST_GIT_ENTRY + addresses.length),
    ...Object.fromEntries(git),
    // A missing credential is an error, and not a question.
    GIT_TERMINAL_PROMPT: "0",
  };
}

/** Null for a registry without a secret. */
function registryOf(text: string | undefined, addresses: readonly SecretAddress[]): string | null {
  const url = text === undefined ? null : URL.parse(text);
  const found = url?.protocol === "https:" ? addresses.find(({ host }) => host === url.host) : undefined;
  return url === null || found === undefined ? null : found.registry(url);
}
