import { formatDuration } from "../../parts/format.ts";

/** `48 ms`, `3.2 s`, `2 min 5 s`. */
export function formatMs(ms: number): string {
  const whole = Math.max(0, ms);
  if (whole < 1000) return `${Math.round(whole)} ms`;
  return whole < 60_000 ? `${(whole / 1000).toFixed(1)} s` : formatDuration(whole / 1000);
}
