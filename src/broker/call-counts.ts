import type { BrokerReport, CallOutcome, ToolCallKind, ToolCallOutcome } from "../contract/broker/broker-order.ts";
import type { Misuse } from "../contract/broker/secret-calls.ts";

/** Counts the calls by provider and outcome, and those of tools. `onChange` hears of every change. */
export class CallCounts {
  readonly #calls = new Map<string, number>();
  readonly #toolCalls = new Map<string, number>();
  readonly #misuses = new Map<string, number>();
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
    this.#add(this.#calls, `${provider} ${outcome}`);
  }

  countToolCall(kind: ToolCallKind, outcome: ToolCallOutcome): void {
    this.#add(this.#toolCalls, `${kind} ${outcome}`);
  }

  countMisuse(reason: Misuse): void {
    this.#add(this.#misuses, reason);
  }

  get open(): number {
    return this.#open;
  }

  report(): Omit<BrokerReport, "build" | "pid"> {
    return {
      open_calls: this.#open,
      calls: Object.fromEntries(this.#calls),
      tool_calls: Object.fromEntries(this.#toolCalls),
      misuses: Object.fromEntries(this.#misuses),
    };
  }

  #add(counts: Map<string, number>, name: string): void {
    counts.set(name, (counts.get(name) ?? 0) + 1);
    this.onChange();
  }
}

/** How a call ended that was answered outside. */
export function outcomeOf(status: number): "answered" | "refused" | "failed" {
  if (status < 400) return "answered";
  return status < 500 ? "refused" : "failed";
}
