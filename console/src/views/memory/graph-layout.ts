export interface GraphEdge {
  readonly from: number;
  readonly to: number;
}

export interface Place {
  x: number;
  y: number;
}

const STEPS = 250;
const SIZE = 100;
/** Half of the drawing, without the room for labels. */
const FRAME = { x: 66, y: 48 };

/** Places nodes by forces: all repel each other, relations attract. The same nodes always get the same places. */
export function placeNodes(count: number, edges: readonly GraphEdge[]): readonly Place[] {
  const places: Place[] = Array.from({ length: count }, (_, index) => {
    const angle = index * 2.4;
    const radius = (SIZE / 2.5) * Math.sqrt((index + 0.5) / Math.max(1, count));
    return { x: Math.cos(angle) * radius, y: Math.sin(angle) * radius };
  });
  const ideal = SIZE / Math.sqrt(Math.max(1, count));
  for (let step = 0; step < STEPS; step++) {
    const moves = places.map((place) => repulsion(place, places, ideal));
    for (const { from, to } of edges) attract(places, moves, { from, to, ideal });
    const most = (1 - step / STEPS) * 4;
    for (const [index, place] of places.entries()) {
      const { x, y } = moves[index] ?? { x: 0, y: 0 };
      const length = Math.hypot(x, y) || 1;
      place.x += (x / length) * Math.min(length, most) - place.x * 0.02;
      place.y += (y / length) * Math.min(length, most) - place.y * 0.02;
    }
  }
  return fill(places);
}

/** Uses the whole drawing, so that labels have room. */
function fill(places: readonly Place[]): readonly Place[] {
  const [x, y] = [scaleOf(places.map((place) => place.x)), scaleOf(places.map((place) => place.y))];
  return places.map((place) => ({ x: x(place.x) * FRAME.x, y: y(place.y) * FRAME.y }));
}

/** Maps the values to -1 to 1. */
function scaleOf(values: readonly number[]): (value: number) => number {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  return high === low ? () => 0 : (value) => (2 * (value - low)) / (high - low) - 1;
}

function repulsion(place: Place, places: readonly Place[], ideal: number): Place {
  const move = { x: 0, y: 0 };
  for (const other of places) {
    if (other === place) continue;
    const [dx, dy] = [place.x - other.x, place.y - other.y];
    const square = Math.max(dx * dx + dy * dy, 0.01);
    move.x += (dx * ideal * ideal) / square;
    move.y += (dy * ideal * ideal) / square;
  }
  return move;
}

function attract(
  places: readonly Place[],
  moves: readonly Place[],
  { from, to, ideal }: GraphEdge & { readonly ideal: number },
): void {
  const [one, other, push, pull] = [places[from], places[to], moves[from], moves[to]];
  if (!one || !other || !push || !pull) return;
  const [dx, dy] = [one.x - other.x, one.y - other.y];
  const force = Math.hypot(dx, dy) / ideal;
  push.x -= dx * force;
  push.y -= dy * force;
  pull.x += dx * force;
  pull.y += dy * force;
}
