/**
 * Shared by all calls to one provider: when it has asked one of them to wait, none of them asks it again before. Turns,
 * sub-agents, compaction and learning would otherwise all run into the same limit. Each model has its own.
 */
export class RateGate {
  readonly #opensAt = new Map<string, number>();

  close(model: string, untilMs: number): void {
    this.#opensAt.set(model, Math.max(untilMs, this.#opensAt.get(model) ?? 0));
  }

  /** How long it is still closed. */
  waitMs(model: string, nowMs: number): number {
    return Math.max(0, (this.#opensAt.get(model) ?? 0) - nowMs);
  }
}
