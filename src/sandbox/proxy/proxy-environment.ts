/** Programs that reach loopback themselves: there the kernel lets them connect to the ports of `listen` only. */
const LOOPBACK = "localhost,127.0.0.1,::1";

/**
 * The variables by which programs find the proxy. Those of npm, pip and git come before what a configuration file of the
 * host names. With `ALL_PROXY`, a program of another protocol gets an HTTP error with the reason.
 */
export function proxyEnvironment(
  { port, token }: { readonly port: number; readonly token: string },
  { isLoopbackDirect }: { readonly isLoopbackDirect: boolean },
): Readonly<Record<string, string>> {
  const url = `http://program:${token}@127.0.0.1:${port}`;
  return {
    HTTP_PROXY: url,
    HTTPS_PROXY: url,
    ALL_PROXY: url,
    http_proxy: url,
    https_proxy: url,
    all_proxy: url,
    ...(isLoopbackDirect && { NO_PROXY: LOOPBACK, no_proxy: LOOPBACK }),
    npm_config_proxy: url,
    npm_config_https_proxy: url,
    PIP_PROXY: url,
    // Overrides the configuration of a repository.
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: "http.proxy",
    GIT_CONFIG_VALUE_0: url,
    // Sends the password at once instead of after a 407.
    GIT_HTTP_PROXY_AUTHMETHOD: "basic",
    // For fetch of Node.js.
    NODE_USE_ENV_PROXY: "1",
  };
}
