import type { Place } from "./calendar.ts";
import type { Evidence } from "./history.ts";
import type { Pair, Tally } from "./material.ts";
import { type Asked, type Scene, evidence, inPassing, tellOthers, wording } from "./scene.ts";

/** The same sort of thing, told in two to four conversations. */
export function askTally(scene: Scene, tally: Tally): Asked {
  const { calendar, words, random } = scene;
  const places: Place[] = [];
  const found: Evidence[] = [];
  const said = random.sample(tally.said, random.between(2, Math.min(4, tally.said.length)));
  for (const one of said) {
    const fill = words.story();
    const place = calendar.tell(inPassing(fill(one)), tally.topic, places);
    places.push(place);
    found.push(evidence(place, fill(tally.holds)));
  }
  tellOthers(scene, tally, words.story());
  return { ability: "multi", kind: "tally", text: wording(scene, tally.asked), evidence: found };
}

/** Things that one question puts together, each told in a conversation of its own. */
export function askPair(scene: Scene, pair: Pair): Asked {
  const { calendar, words, random } = scene;
  const fill = words.story();
  const places: Place[] = [];
  const found = pair.parts.map(({ said, holds }) => {
    const place = calendar.tell(inPassing(fill(random.pick(said))), pair.topic, places);
    places.push(place);
    return evidence(place, fill(holds));
  });
  const text = fill(wording(scene, pair.asked));
  tellOthers(scene, pair, fill);
  return { ability: "multi", kind: "pair", text, evidence: found };
}
