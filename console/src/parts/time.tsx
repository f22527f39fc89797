import { signal } from "@preact/signals";
import { NONE, formatDuration } from "./format.ts";

/** The time of every relative time on the page. One timer serves all. */
export const now = signal(Date.now());
setInterval(() => {
  if (document.visibilityState === "visible") now.value = Date.now();
}, 1000);
document.addEventListener("visibilitychange", () => {
  now.value = Date.now();
});

const FULL = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "medium" });
const CLOCK = new Intl.DateTimeFormat("en-GB", { timeStyle: "medium" });
const DAY = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });

interface TimeProps {
  readonly at: string | null | undefined;
}

/** How long ago, or how long until. */
export const Ago = ({ at }: TimeProps) => {
  if (at === null || at === undefined) return <span class="dim">{NONE}</span>;
  const seconds = (now.value - Date.parse(at)) / 1000;
  const text =
    Math.abs(seconds) < 1 ? "now" : seconds > 0 ? `${formatDuration(seconds)} ago` : `in ${formatDuration(-seconds)}`;
  return (
    <time dateTime={at} title={FULL.format(Date.parse(at))}>
      {text}
    </time>
  );
};

/** The time of day, with the date unless it is today's. */
export const Clock = ({ at }: TimeProps) => {
  if (at === null || at === undefined) return <span class="dim">{NONE}</span>;
  const date = new Date(at);
  const isToday = date.toDateString() === new Date(now.value).toDateString();
  return (
    <time dateTime={at} title={FULL.format(date)}>
      {isToday ? CLOCK.format(date) : `${DAY.format(date)}, ${CLOCK.format(date)}`}
    </time>
  );
};
