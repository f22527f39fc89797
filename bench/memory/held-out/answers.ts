import type { Answer } from "../material.ts";

/** What the assistant said when asked for it. Not to be read by whoever works on a search. */
export const ANSWERS: readonly Answer[] = [
  {
    topic: "sailing",
    request: [
      "We moor at {island} on Friday, who cooks well within walking distance of the pier?",
      "Hungry crew of five, landing on {island} late: what kitchen is open?",
    ],
    said: [
      "On {island} the kitchen at {tavern} stays open late, order the {stew}.",
      "Walk up from the pier to {tavern}, whose {stew} is the pride of {island}.",
    ],
    holds: "{tavern}",
    asked: [
      "Which kitchen on {island} had you picked out for our crew?",
      "What was that tavern on {island} with the {stew}?",
      "Where did you send us hungry sailors?",
    ],
    others: [
      "{name} washed dishes at {tavern2} for two summers.",
      "The crew of the film left rubbish all over the pier.",
    ],
  },
  {
    topic: "motorbikes",
    request: [
      "Riding past {lake} next month, which inn there has a shed for two machines?",
      "Any inn at {lake} where wet riders are welcome?",
    ],
    said: [
      "Riders like {inn} at {lake}, there is a heated shed for gloves and boots.",
      "{inn}, right at {lake}, has a lockable shed and a patient cook.",
    ],
    holds: "{inn}",
    asked: [
      "What was the inn with the shed at {lake}?",
      "Which inn at {lake} did you mention for riders?",
      "Whose roof did you propose for the tour?",
    ],
    others: ["{name} got engaged in {inn2}, of all places.", "Our shed has a wasp nest the size of a melon."],
  },
  {
    topic: "spreadsheets",
    request: [
      "I need a macro in {sheet} that tidies the columns before the auditors come.",
      "Could you record a macro for {sheet}, the columns are a mess?",
    ],
    said: [
      "Call the macro {macro} and bind it to a key, it leaves {sheet} sorted.",
      "I would name the macro {macro} and keep it inside {sheet}.",
    ],
    holds: "{macro}",
    asked: [
      "How was the macro for {sheet} called?",
      "Which macro tidies the columns in {sheet}?",
      "What did you christen that little automation?",
    ],
    others: [
      "{name} photographs beetles with a macro lens.",
      "The columns of the temple are fake, the guide admitted.",
    ],
  },
  {
    topic: "swimming",
    request: [
      "My shoulders burn after butterfly, which drill spares them?",
      "Is there a drill that fixes my butterfly without hurting the shoulders?",
    ],
    said: [
      "Do the drill with {pot} balanced in mind: slow arms, high hips, two kicks.",
      "Picture {pot} on your back for this drill and keep it level.",
    ],
    holds: "{pot}",
    asked: [
      "In the butterfly drill, what was I to imagine on my back?",
      "What object did you use to explain the drill for my shoulders?",
      "Which picture was supposed to help me in the pool?",
    ],
    others: [
      "{name} has a tattoo of a butterfly on her ankle.",
      "A fire drill emptied the theatre at the worst moment.",
    ],
  },
  {
    topic: "chess",
    request: [
      "I lose as Black against 1.e4 all the time. What should I learn for the club match?",
      "Club match on Sunday, I am Black on board two and have no reply ready.",
    ],
    said: [
      "For a club match as Black I would take {opening} and learn one line well.",
      "{opening} is sound for Black and needs little theory.",
    ],
    holds: "{opening}",
    asked: [
      "Which reply as Black did you advise for the club match?",
      "What was I to learn as Black?",
      "Which defence or gambit did you favour for board two?",
    ],
    others: ["{name} wrote a novel named after {opening2}.", "Black ice on the bridge caused a pile-up."],
  },
  {
    topic: "marketing",
    request: [
      "Invent a tagline for our stall at the craft fair, please.",
      "The craft fair wants a tagline for the leaflet by noon.",
    ],
    said: [
      "As a tagline I would take “{teaser}”, since it fits on one line of the leaflet.",
      "My pick for a tagline: “{teaser}”.",
    ],
    holds: "{teaser}",
    asked: [
      "What tagline did you invent for the craft fair?",
      "Which tagline was your pick for our leaflet?",
      "What words did you dream up for the stall?",
    ],
    others: ["{name}'s union prints “{teaser2}” on its mugs.", "A leaflet about moles was in every letterbox."],
  },
  {
    topic: "pottery",
    request: [
      "Which glaze breaks nicely over texture at cone six?",
      "I want a glaze that shows my texture instead of hiding it.",
    ],
    said: [
      "Try {glaze}, a glaze that pools in the grooves and thins on the edges.",
      "Over texture {glaze} is hard to beat, two coats at most.",
    ],
    holds: "{glaze}",
    asked: [
      "What glaze did you think would show my texture?",
      "Which glaze was it that pools in grooves or takes two coats at most?",
      "What coating were my pots supposed to get?",
    ],
    others: ["{name}'s eyes glaze over at the word budget.", "An orange glaze is on the ham at my aunt's."],
  },
  {
    topic: "garden",
    request: [
      "What shrub would cheer up a north wall in January?",
      "I look for a shrub for the north wall that flowers while it is cold.",
    ],
    said: [
      "Against a north wall {shrub} flowers when nothing else dares.",
      "Plant {shrub} there, it shrugs off frost at a north wall.",
    ],
    holds: "{shrub}",
    asked: [
      "What did you recommend to plant against the north wall?",
      "Which shrub was meant for the north wall?",
      "What will bring blossoms in the frost?",
    ],
    others: ["{name} drove into {shrub2} while learning to park.", "The north wall of that mountain has claimed many."],
  },
];
