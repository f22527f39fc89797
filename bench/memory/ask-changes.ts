import type { Change } from "./material.ts";
import { type Asked, type Scene, evidence, inPassing, tellOthers, wording } from "./scene.ts";

/** Something that was told two or three times, each time with another value; asked is the last, or the first. */
export function askChange(scene: Scene, change: Change, asks: "current" | "former"): Asked {
  const { calendar, words, random } = scene;
  const fill = words.story();
  // Three values would leave in doubt which of the two before the last was "the former".
  const days = calendar.inOrder(asks === "current" && random.chance(0.35) ? 3 : 2, 35);
  const found = days.map((day, index) => {
    const value = words.draw(change.values);
    const template = random.pick(index === 0 ? change.first : change.later);
    return evidence(calendar.tellOn(inPassing(fill(template.replaceAll("{value}", value))), day), value);
  });
  const text = fill(asks === "current" ? wording(scene, change.asked) : random.pick(change.former));
  tellOthers(scene, change, fill);
  return asks === "current"
    ? { ability: "updates", kind: "current", text, evidence: found.slice(-1), outdated: found.slice(0, -1) }
    : { ability: "updates", kind: "former", text, evidence: found.slice(0, 1) };
}
