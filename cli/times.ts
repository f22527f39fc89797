/** The two largest units of a time: `3 d 4 h`, or `10 min`. */
export function formatDuration(seconds: number): string {
  const parts = [
    [Math.floor(seconds / 86_400), "d"],
    [Math.floor(seconds / 3600) % 24, "h"],
    [Math.floor(seconds / 60) % 60, "min"],
    [Math.floor(seconds) % 60, "s"],
  ] as const;
  const first = parts.findIndex(([count]) => count > 0);
  return first === -1
    ? "0 s"
    : parts
        .slice(first, first + 2)
        .filter(([count]) => count > 0)
        .map(([count, unit]) => `${count} ${unit}`)
        .join(" ");
}

/** A time as `4 min ago`, in its largest unit; null for none. */
export function ago(time: string | null, now: number): string | null {
  if (time === null) return null;
  const [count = "0", unit = "s"] = formatDuration(Math.max(0, (now - Date.parse(time)) / 1000)).split(" ");
  return `${count} ${unit} ago`;
}
