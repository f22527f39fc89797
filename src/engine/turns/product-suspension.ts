import type { Suspension } from "../../contract/orchestrator/policy.ts";

/** Whether the product is suspended. Turns and learning ask before they start. */
export class ProductSuspension {
  #current: Suspension | null = null;
  readonly reason = "the product is suspended";

  set(suspended: Suspension | null): void {
    this.#current = suspended;
  }

  get isActive(): boolean {
    return this.#current !== null;
  }
}
