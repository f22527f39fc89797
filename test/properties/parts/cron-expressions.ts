import fc from "fast-check";

/** One field: every value, each nth, or some of them. */
interface Field {
  readonly text: string;
  readonly has: (value: number) => boolean;
}

const field = (min: number, max: number): fc.Arbitrary<Field> =>
  fc.oneof(
    fc.constant({ text: "*", has: () => true }),
    fc.integer({ min: 2, max: Math.min(20, max - min) }).map((step) => ({
      text: `*/${step}`,
      has: (value: number) => (value - min) % step === 0,
    })),
    fc.uniqueArray(fc.integer({ min, max }), { minLength: 1, maxLength: 3 }).map((values) => ({
      text: values.join(","),
      has: (value: number) => values.includes(value),
    })),
    fc.tuple(fc.integer({ min, max }), fc.integer({ min, max })).map(([one, other]) => {
      const [from, to] = [Math.min(one, other), Math.max(one, other)];
      return { text: `${from}-${to}`, has: (value: number) => from <= value && value <= to };
    }),
  );

/** Minute and hour, and the days of the week: all that a clock change can move. */
export const cronFields = fc.record({ minute: field(0, 59), hour: field(0, 23), weekday: field(0, 6) });
export type CronFields = typeof cronFields extends fc.Arbitrary<infer Fields> ? Fields : never;
export const cronText = ({ minute, hour, weekday }: CronFields): string =>
  `${minute.text} ${hour.text} * * ${weekday.text}`;

/** With clock changes of an hour, of half an hour, of two hours and at midnight, and without any. */
export const zones = fc.constantFrom(
  "UTC",
  "Europe/Berlin",
  "America/New_York",
  "America/St_Johns",
  "America/Santiago",
  "Australia/Lord_Howe",
  "Pacific/Chatham",
  "Africa/Cairo",
  "Antarctica/Troll",
  "Asia/Kathmandu",
);

/** The days around clock changes, and any others. */
export const instants = fc.oneof(
  fc.integer({ min: Date.UTC(2024, 0), max: Date.UTC(2030, 0) }),
  fc
    .tuple(fc.integer({ min: 2024, max: 2029 }), fc.constantFrom(2, 3, 8, 9, 10), fc.nat({ max: 31 * 86_400_000 }))
    .map(([year, month, ms]) => Date.UTC(year, month) + ms),
);
