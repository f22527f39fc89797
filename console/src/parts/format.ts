const WHOLE = new Intl.NumberFormat("en");
const TENTHS = new Intl.NumberFormat("en", { minimumFractionDigits: 1, maximumFractionDigits: 1 });

export const NONE = "–";

export const formatCount = (count: number | null | undefined): string =>
  count === null || count === undefined ? NONE : WHOLE.format(count);

export const formatPercent = (percent: number | null | undefined): string =>
  percent === null || percent === undefined ? NONE : `${TENTHS.format(percent)} %`;

/** MiB below one GiB, then GiB. */
export function formatMb(mb: number | null | undefined): string {
  if (mb === null || mb === undefined) return NONE;
  return mb < 1024 ? `${WHOLE.format(Math.round(mb))} MB` : `${TENTHS.format(mb / 1024)} GB`;
}

export function formatBytes(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  return bytes < 1_048_576 ? `${TENTHS.format(bytes / 1024)} KB` : formatMb(bytes / 1_048_576);
}

const UNITS: readonly (readonly [seconds: number, name: string])[] = [
  [86_400, "d"],
  [3600, "h"],
  [60, "min"],
  [1, "s"],
];

/** The largest unit, and the next one of small counts: `45 s`, `3 min`, `2 h 5 min`. */
export function formatDuration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const at = UNITS.findIndex(([size]) => whole >= size);
  const [size, name] = UNITS[at] ?? [1, "s"];
  const count = Math.floor(whole / size);
  const [nextSize, nextName] = UNITS[at + 1] ?? [];
  const rest = nextSize === undefined ? 0 : Math.floor((whole % size) / nextSize);
  return count < 10 && size > 60 && rest > 0 ? `${count} ${name} ${rest} ${nextName}` : `${count} ${name}`;
}
