import { newPlaceholder, placeholdersIn } from "../contract/broker/placeholder.ts";
import {
  SECRET_HEADER,
  SECRET_NAMES_HEADER,
  SECRET_TARGET_HEADER,
  decodeUrl,
} from "../contract/broker/secret-calls.ts";
import { EgressRules } from "../sandbox/proxy.ts";
import { RequestFiller } from "./fill-request.ts";
import { type EngineCall, type Outgoing, Refusal } from "./outgoing.ts";
import { readJson } from "./read-json.ts";
import { type CarriedSecret, formsOf } from "./secret-forms.ts";
import { isHostOf } from "./secret-hosts.ts";
import { namesIn } from "./secret-names.ts";
import type { SecretValues } from "./secret-values.ts";

const MAX_NAMES_BYTES = 16 * 1024;
const TLS_PORT = 443;
const WORDS = { connect: "the policy field tool_network", narrowed: "the policy field tool_network" };

/**
 * Requests with the values of secrets: checks where each may go, and puts the values in place of their placeholders. Bodies
 * are streamed.
 */
export class SecretCalls {
  readonly #values: SecretValues;

  constructor(values: SecretValues) {
    this.#values = values;
  }

  /** The hosts of the secrets that an engine names. */
  async hosts({ caller, request }: EngineCall): Promise<{ readonly hosts: Readonly<Record<string, string[]>> }> {
    const { names } = (await readJson(request, MAX_NAMES_BYTES)) as { readonly names: string[] };
    return { hosts: await this.#values.hosts(caller, names) };
  }

  /** Rejects with `Misused`, `NoSecret` or `EgressRefused`. */
  async prepare(call: EngineCall): Promise<Outgoing> {
    const { caller, engineKey, request } = call;
    const { headers, rawHeaders } = request;
    const target = targetOf(headers[SECRET_TARGET_HEADER]);
    if (target === null) throw new Refusal(400, `${SECRET_TARGET_HEADER}: expected a URL`);
    const [phantom = null] = placeholdersIn(String(headers[SECRET_HEADER] ?? ""));
    const find = this.#values.find.bind(this.#values);
    const allowed = await this.#allowed(call, target);
    const fillsBody = allowed.some(({ secret }) => secret.place === "body");
    const filler = new RequestFiller({ caller, engineKey, target, phantom, fillsBody, rawHeaders, find });
    const head = await filler.head();
    const [first] = [...filler.carried, ...allowed];
    if (first === undefined) throw new Refusal(400, "expected a request with the placeholder of a secret");
    const host = target.hostname.replace(/^\[|\]$/g, "");
    const rules = new EgressRules({ connect: first.secret.network, listen: [], words: WORDS });
    return {
      ...head,
      addresses: await rules.addressesOf(host, target.port === "" ? TLS_PORT : Number(target.port)),
      body: { kind: "filled", valueOf: filler.body, keepsLength: !filler.changesBody },
      hidden: () => formsOf([...filler.carried, ...allowed]),
    };
  }

  /** The secrets that a request may carry without naming them, by its header. */
  async #allowed({ caller, engineKey, request }: EngineCall, target: URL): Promise<readonly CarriedSecret[]> {
    const names = namesIn(request.headers[SECRET_NAMES_HEADER]);
    const secrets = await Promise.all(names.map((name) => this.#values.find(caller, name)));
    return names.flatMap((name, at) => {
      const secret = secrets[at] ?? null;
      if (secret === null || !isHostOf(secret.hosts, target)) return [];
      return [{ placeholder: { name, text: newPlaceholder(engineKey, name) }, secret }];
    });
  }
}

export function targetOf(header: string | string[] | undefined): URL | null {
  return typeof header === "string" ? URL.parse(decodeUrl(header)) : null;
}
