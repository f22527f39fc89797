import { sealingKeyOf } from "../../../contract/broker/call-key.ts";
import { questionTokenOf } from "../../../contract/broker/tokens.ts";
import type { ModelBroker } from "./model-broker.ts";

/** A broker that somebody else runs, such as a deployment of the cluster. */
export function remoteBroker(url: string, secret: string): ModelBroker {
  const access = { url, sealingKey: sealingKeyOf(secret) };
  return {
    access: () => access,
    reach: access,
    once: null,
    questionToken: questionTokenOf(access.sealingKey),
    // Several may share the address, and what each knows ends by itself.
    forget: () => Promise.resolve(),
    report: () => null,
    since: null,
    restarts: 0,
    stop: () => Promise.resolve(),
    close: () => undefined,
  };
}
