import type { LookupAddress } from "node:dns";
import { BlockList } from "node:net";
import type { EngineStart } from "../contract/broker/engine-key.ts";
import { EgressRefused, EgressRules, type ProgramNetworkOptions } from "../sandbox/proxy.ts";
import type { EngineStandings } from "./engine-standing.ts";
import { Refusal } from "./outgoing.ts";

const WORDS = { connect: "the policy field tool_network", narrowed: "the policy field tool_network" };

/** Tests replace both. */
type Resolving = Partial<Pick<ProgramNetworkOptions, "resolve" | "isPublic">>;

const ownAddresses = new BlockList();
ownAddresses.addSubnet("127.0.0.0", 8);
ownAddresses.addSubnet("0.0.0.0", 8);
ownAddresses.addAddress("::1", "ipv6");
ownAddresses.addAddress("::", "ipv6");

/** Where engines may connect to by this process: the hosts of their policy's `tool_network`, as the daemon says it. */
export class EgressAddresses {
  readonly #standings: Pick<EngineStandings, "of">;
  readonly #resolving: Resolving;

  constructor(standings: Pick<EngineStandings, "of">, resolving: Resolving = {}) {
    this.#standings = standings;
    this.#resolving = resolving;
  }

  /** Rejects with `EgressRefused` for a host that is not permitted, and with `Refusal` for an engine that has stopped. */
  async of(caller: EngineStart, host: string, port: number): Promise<readonly LookupAddress[]> {
    const { is_current: isCurrent, tool_network: connect } = await this.#standings.of(caller);
    if (!isCurrent) throw new Refusal(401, "this start of the engine has ended");
    const rules = new EgressRules({ ...this.#resolving, connect, listen: [], words: WORDS });
    const found = await rules.addressesOf(host, port);
    // A list with loopback means that of the engine, which it reaches itself.
    if (found.some(({ address, family }) => ownAddresses.check(address, family === 6 ? "ipv6" : "ipv4")))
      throw new EgressRefused(`${host} is refused: it is an address of the broker itself`);
    return found;
  }
}
