/** The first of 1, 2, 5, 10, 20, 50 … that is not below a value. */
export function niceCeiling(value: number): number {
  if (!(value > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 5, 10].find((step) => step * power >= value) ?? 10) * power;
}

export type Points = readonly (number | null)[];

/** Where so few points are missing, the line continues: a sample may be late. */
const BRIDGED = 2;

/** A path through the points, interrupted where some are missing. `width` and `height` are of the drawing. */
export function linePath(
  points: Points,
  { width, height, max }: { readonly width: number; readonly height: number; readonly max: number },
): string {
  const stepX = points.length > 1 ? width / (points.length - 1) : 0;
  let path = "";
  let missing = Infinity;
  for (const [index, value] of points.entries()) {
    if (value === null) {
      missing++;
      continue;
    }
    const x = (index * stepX).toFixed(1);
    const y = (height - (Math.min(value, max) / max) * height).toFixed(1);
    path += `${missing <= BRIDGED ? "L" : "M"}${x} ${y}`;
    missing = 0;
  }
  return path;
}
