import type { ProvisionRequest } from "../../contract/orchestrator/requests.ts";
import { Deadline } from "../../shared/deadline.ts";
import { ApiError } from "../api-error.ts";
import { findEngine } from "../store/engines.ts";
import type { Product } from "../store/products.ts";
import type { Admitted } from "./admit-engine.ts";
import { engineRecord } from "../status/engine-record.ts";
import type { EngineHost, Service } from "../host-context.ts";
import { provisionEngine } from "./provision-engine.ts";
import { wokenRecord } from "./start-engine.ts";

const FIRST_BACK_OFF_MS = 1000;
const MAX_BACK_OFF_MS = 60_000;
const MAX_ATTEMPTS = 5;

/**
 * A look-up that provisions a missing engine and wakes a sleeping one. Failed boots back off exponentially, since clients
 * poll look-ups and each would boot a failing engine. Tested in test/end-to-end/engine-lifecycle.test.ts.
 */
export class AutoProvision {
  readonly #host: EngineHost & Service;
  readonly #failures = new Map<string, { readonly count: number; readonly retry: Deadline }>();

  constructor(host: EngineHost & Service) {
    this.#host = host;
  }

  async lookUp(product: Product, request: ProvisionRequest): Promise<Admitted> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const admitted = await this.#findOrProvision(product, request);
      if (admitted !== null) return admitted;
    }
    throw new ApiError("OPERATION_IN_PROGRESS", "other calls keep changing this engine; retry later");
  }

  /** Null when a concurrent call provisioned or changed the engine first. */
  async #findOrProvision(product: Product, request: ProvisionRequest): Promise<Admitted | null> {
    const host = this.#host;
    const found = await findEngine(host.db, product.record.id, request.user_id);
    if (found !== null) {
      const woken = found.state === "sleeping" ? await wokenRecord(host, found, "lookup") : engineRecord(host, found);
      return woken === null ? null : { record: woken, apiKey: null };
    }
    const user = `${product.record.id} ${request.user_id}`;
    const failure = this.#failures.get(user);
    if (failure !== undefined && !failure.retry.isOver) {
      const retryAfterS = Math.max(1, Math.ceil(failure.retry.leftMs / 1000));
      throw new ApiError("CAPACITY_EXHAUSTED", "the last boot for this user failed; retry after the back-off", {
        retryAfterS,
      });
    }
    try {
      const provisioned = await provisionEngine(host, product, request, "auto_provision");
      this.#failures.delete(user);
      return provisioned;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.code === "ENGINE_ALREADY_EXISTS") return null;
      if (error.code === "BOOT_TIMEOUT" || error.code === "BACKEND_ERROR")
        this.#recordFailure(user, failure?.count ?? 0);
      throw error;
    }
  }

  #recordFailure(user: string, previous: number): void {
    const forgotten = performance.now() - MAX_BACK_OFF_MS;
    for (const [key, { retry }] of this.#failures) if (retry.at < forgotten) this.#failures.delete(key);
    const backOff = Math.min(FIRST_BACK_OFF_MS * 2 ** previous, MAX_BACK_OFF_MS);
    this.#failures.set(user, { count: previous + 1, retry: new Deadline(backOff) });
  }
}
