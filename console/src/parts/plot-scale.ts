/** The first of 1, 2, 5, 10, 20, 50 … that is not below a value. */
export function niceCeiling(value: number): number {
  if (!(value > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 5, 10].find((step) => step * power >= value) ?? 10) * power;
}

export type Points = readonly (number | null)[];

/** A path through the points, interrupted where there is none. `width` and `height` are of the drawing. */
export function linePath(
  points: Points,
  { width, height, max }: { readonly width: number; readonly height: number; readonly max: number },
): string {
  const stepX = points.length > 1 ? width / (points.length - 1) : 0;
  let path = "";
  let isDrawing = false;
  for (const [index, value] of points.entries()) {
    if (value === null) {
      isDrawing = false;
      continue;
    }
    const x = (index * stepX).toFixed(1);
    const y = (height - (Math.min(value, max) / max) * height).toFixed(1);
    path += `${isDrawing ? "L" : "M"}${x} ${y}`;
    isDrawing = true;
  }
  return path;
}
