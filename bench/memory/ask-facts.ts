import type { Answer, Fact, Unsaid } from "./material.ts";
import { type Asked, type Scene, evidence, inPassing, tellOthers, wording } from "./scene.ts";

/** Something the user said once, in passing. */
export function askFact(scene: Scene, fact: Fact, kind: string): Asked {
  const fill = scene.words.story();
  const place = scene.calendar.tell(inPassing(fill(scene.random.pick(fact.said))), fact.topic);
  const text = fill(wording(scene, fact.asked));
  const found = evidence(place, fill(fact.holds));
  tellOthers(scene, fact, fill);
  return { ability: "extraction", kind, text, evidence: [found] };
}

/** Something the assistant said when asked for it. */
export function askAnswer(scene: Scene, answer: Answer): Asked {
  const { calendar, words, random } = scene;
  const fill = words.story();
  const request = fill(random.pick(answer.request));
  const place = calendar.tell({ by: "assistant", request, text: fill(random.pick(answer.said)) }, answer.topic);
  const text = fill(wording(scene, answer.asked));
  const found = evidence(place, fill(answer.holds));
  tellOthers(scene, answer, fill);
  return { ability: "extraction", kind: "assistant", text, evidence: [found] };
}

/** The fact is told, and something beside it is asked that was not. */
export function askBesideFact(scene: Scene, fact: Fact & { readonly unsaid: Unsaid }): Asked {
  const fill = scene.words.story();
  scene.calendar.tell(inPassing(fill(scene.random.pick(fact.said))), fact.topic);
  tellOthers(scene, fact, fill);
  return {
    ability: "abstention",
    kind: "near",
    text: fill(scene.random.pick(fact.unsaid.asked)),
    never: fact.unsaid.never.map(fill),
  };
}

export function askStranger({ words, random }: Scene, stranger: Unsaid): Asked {
  const fill = words.story();
  const text = fill(random.pick(stranger.asked));
  return { ability: "abstention", kind: "stranger", text, never: stranger.never.map(fill) };
}
