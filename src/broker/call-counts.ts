import type { BrokerReport, CallOutcome } from "../contract/broker/broker-order.ts";

/** Counts the calls by provider and outcome. `onChange` hears of every change. */
export class CallCounts {
  readonly #calls = new Map<string, number>();
  #open = 0;
  onChange: () => void = () => undefined;

  opened(): void {
    this.#open++;
    this.onChange();
  }

  closed(): void {
    this.#open--;
    this.onChange();
  }

  count(provider: string, outcome: CallOutcome): void {
    const name = `${provider} ${outcome}`;
    this.#calls.set(name, (this.#calls.get(name) ?? 0) + 1);
    this.onChange();
  }

  get open(): number {
    return this.#open;
  }

  report(): Pick<BrokerReport, "open_calls" | "calls"> {
    return { open_calls: this.#open, calls: Object.fromEntries(this.#calls) };
  }
}
