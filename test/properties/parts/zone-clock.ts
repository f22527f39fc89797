const QUARTER = 900_000;
const QUARTERS_OF_DAY = 96;

/** The clock of a zone, as Intl has it. Clocks change at quarters of an hour. */
export class ZoneClock {
  readonly #format: Intl.DateTimeFormat;
  readonly #offsets = new Map<number, number>();

  constructor(timeZone: string) {
    this.#format = new Intl.DateTimeFormat("en-US", { timeZone, timeZoneName: "longOffset" });
  }

  /** What the clock shows, as if it were UTC. */
  shown(at: number): number {
    return at + this.#offset(Math.floor(at / QUARTER));
  }

  /** The first change of the clock within a year; the time itself when there is none. */
  nextChange(at: number): number {
    const first = Math.floor(at / QUARTER);
    const before = this.#offset(first);
    for (let day = 1; day <= 366; day++) {
      if (this.#offset(first + day * QUARTERS_OF_DAY) === before) continue;
      let quarter = first + (day - 1) * QUARTERS_OF_DAY;
      while (this.#offset(quarter) === before) quarter++;
      return quarter * QUARTER;
    }
    return at;
  }

  #offset(quarter: number): number {
    const known = this.#offsets.get(quarter);
    if (known !== undefined) return known;
    const parts = this.#format.formatToParts(quarter * QUARTER);
    const name = parts.find(({ type }) => type === "timeZoneName")?.value ?? "";
    const [, sign, hours, minutes] = /^GMT(?:([+-])(\d\d):(\d\d))?$/.exec(name) ?? [];
    const offset = sign === undefined ? 0 : (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
    this.#offsets.set(quarter, offset);
    return offset;
  }
}

const clocks = new Map<string, ZoneClock>();

export function clockOf(zone: string): ZoneClock {
  const clock = clocks.get(zone) ?? new ZoneClock(zone);
  clocks.set(zone, clock);
  return clock;
}
