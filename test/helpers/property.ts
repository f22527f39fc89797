import fc from "fast-check";
import t from "tap";

/** Fixed, so that a run of the tests says the same twice. Other seeds: `ORCHD_SEED=7 ORCHD_RUNS=10000 node FILE`. */
const SEED = Number(process.env["ORCHD_SEED"] ?? 1);
/** Also of the search for the smallest values. */
const MAX_MS = 60_000;
const RUNS = Number(process.env["ORCHD_RUNS"] ?? 60);

/**
 * A test that a statement holds for all values. It throws for those for which it does not. `examples` are tried first: what
 * was found once stays found. A failure prints its seed and the smallest values.
 */
export function property<Values extends [unknown, ...unknown[]]>(
  title: string,
  values: { readonly [Index in keyof Values]: fc.Arbitrary<Values[Index]> },
  statement: (...given: Values) => void | Promise<void>,
  { examples = [] }: { readonly examples?: readonly NoInfer<Values>[] } = {},
): void {
  t.test(title, async (t) => {
    const holds = fc.asyncProperty<Values>(...(values as never), async (...given) => statement(...given));
    const found = await fc.check(holds, {
      seed: SEED,
      numRuns: RUNS,
      examples: [...examples],
      interruptAfterTimeLimit: MAX_MS,
      markInterruptAsFailure: true,
    });
    t.notOk(found.failed, `seed ${SEED}, ${RUNS} runs`, {
      found: escaped((await fc.asyncDefaultReportMessage(found)) ?? ""),
    });
  });
}

/** Tap reports nothing of a test with other characters in its diagnosis. */
const escaped = (text: string): string =>
  text.replaceAll(/[^\n -~]/gu, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);

/** A text of bytes, and where it is cut into chunks. */
export const chunked = (bytes: Buffer, cuts: readonly number[]): readonly Buffer[] => {
  const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].toSorted((one, other) => one - other);
  return [0, ...places].map((from, index) => bytes.subarray(from, places[index] ?? bytes.length));
};

/** Where a text is cut. */
export const cuts = fc.array(fc.nat({ max: 1000 }), { maxLength: 12 });
