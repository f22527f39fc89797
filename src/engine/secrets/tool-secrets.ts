import { newPlaceholder } from "../../contract/broker/placeholder.ts";
import {
  ENGINE_KEY_HEADER,
  SECRET_CALL_PATH,
  SECRET_HEADER,
  SECRET_HOSTS_PATH,
  SECRET_TARGET_HEADER,
  encodeUrl,
} from "../../contract/broker/secret-calls.ts";
import { delay } from "../../shared/clock.ts";
import { Deadline } from "../../shared/deadline.ts";
import { ToolFailed } from "../tools/tool.ts";
import { phantomUrl, registryUrl } from "./phantom-address.ts";
import { fillReferences, secretsIn } from "./secret-references.ts";
import { knownTools } from "./known-tools.ts";

/** How this engine reaches the broker. */
export interface EngineBroker {
  readonly url: string;
  readonly key: string;
  /** It is the only way out. */
  readonly egress?: true | undefined;
}

/** Beyond the broker's own deadline. */
const HOSTS_MS = 20_000;
const RESTART_MS = 5000;
const RETRY_MS = 100;

type Texts = Readonly<Record<string, string>>;

/**
 * Secrets of the vault as tools have them: placeholders, and addresses of the engine's proxy that lead to their hosts. The
 * broker puts the values in their places; neither the engine nor a tool ever has one.
 */
export class ToolSecrets {
  readonly #broker: EngineBroker | null;
  /** Of the secrets that a tool has a placeholder of, as they were when it got it. */
  readonly knownHosts = new Map<string, readonly string[]>();

  /** `broker`: null where there is none. Then tools with secrets fail. */
  constructor(broker: EngineBroker | null) {
    this.#broker = broker;
  }

  /** Variables of a program with placeholders in place of references. `proxyPort`: null for one without network. */
  async environment(env: Texts, proxyPort: () => Promise<number | null>): Promise<Record<string, string>> {
    const names = secretsIn(Object.values(env));
    if (names.length === 0) return { ...env };
    const hosts = await this.#hosts(names);
    for (const name of names) this.knownHosts.set(name, hosts[name] ?? []);
    const port = await proxyPort();
    if (port === null) throw new ToolFailed("a tool with a secret needs network: its sandbox or tool_network has none");
    const urlOf = (name: string): string => {
      const [host] = namedHosts(hosts[name] ?? []);
      if (host === undefined) throw new ToolFailed(`the secret ${name} has no host without *, which an address needs`);
      return phantomUrl(port, this.#placeholder(name), host);
    };
    const filled = Object.entries(env).map(([name, text]) => [
      name,
      fillReferences(text, (kind, secret) => (kind === "secret" ? this.#placeholder(secret) : urlOf(secret))),
    ]);
    const addresses = names.flatMap((name) =>
      namedHosts(hosts[name] ?? []).map((host) => ({
        host,
        url: phantomUrl(port, this.#placeholder(name), host),
        registry: (url: URL) => registryUrl(port, this.#placeholder(name), url),
      })),
    );
    return knownTools(Object.fromEntries(filled) as Record<string, string>, addresses);
  }

  /** Texts of a request of the engine itself, such as headers, with placeholders in place of references. */
  fill(texts: Texts): Record<string, string> {
    const fill = (text: string) =>
      fillReferences(text, (kind, name) => {
        if (kind === "secret") return this.#placeholder(name);
        throw new ToolFailed(`\${secret_url:${name}}: expected \${secret:${name}}`);
      });
    return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, fill(text)]));
  }

  /** Where a request for `target` with placeholders is sent instead, and the headers that it then needs. */
  route(target: URL, placeholder: string | null = null): { readonly url: URL; readonly headers: Texts } {
    const { url, key } = this.#known();
    return {
      url: new URL(SECRET_CALL_PATH, url),
      headers: {
        [ENGINE_KEY_HEADER]: key,
        [SECRET_TARGET_HEADER]: encodeUrl(target.href),
        ...(placeholder !== null && { [SECRET_HEADER]: placeholder }),
      },
    };
  }

  #placeholder(name: string): string {
    return newPlaceholder(this.#known().key, name);
  }

  async #hosts(names: readonly string[]): Promise<Readonly<Record<string, readonly string[]>>> {
    const { url, key } = this.#known();
    const response = await askAgain(() =>
      fetch(new URL(SECRET_HOSTS_PATH, url), {
        method: "POST",
        headers: { [ENGINE_KEY_HEADER]: key, "content-type": "application/json" },
        body: JSON.stringify({ names }),
        signal: AbortSignal.timeout(HOSTS_MS),
      }),
    ).catch((error: unknown) => {
      throw new ToolFailed(`secrets cannot be read now: ${error instanceof Error ? error.message : String(error)}`);
    });
    if (!response.ok) throw new ToolFailed(`secrets cannot be read now: ${(await response.text()).trim()}`);
    const { hosts } = (await response.json()) as { readonly hosts: Record<string, string[]> };
    const missing = names.filter((name) => hosts[name] === undefined);
    if (missing.length > 0)
      throw new ToolFailed(`there is no secret ${missing.join(", ")}; orchctl secrets set creates one`);
    return hosts;
  }

  #known(): EngineBroker {
    if (this.#broker !== null) return this.#broker;
    throw new ToolFailed("secrets need the broker, which this engine does not have; orchctl doctor says why");
  }
}

const namedHosts = (hosts: readonly string[]): readonly string[] => hosts.filter((host) => !host.startsWith("*"));

/** A broker that was killed is started again, and its connections are lost. */
async function askAgain<T>(ask: () => Promise<T>): Promise<T> {
  for (const deadline = new Deadline(RESTART_MS); ; await delay(RETRY_MS)) {
    try {
      return await ask();
    } catch (error) {
      if (deadline.isOver) throw error;
    }
  }
}
