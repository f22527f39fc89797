import type { Happening, Times } from "../material.ts";

/** What happens several times a year. Not to be read by whoever works on a search. */
export const HAPPENINGS: readonly Happening[] = [
  {
    topic: "theatre",
    said: [
      "Curtain fell at eleven last night: {play} at {playhouse}, three hours of theatre.",
      "At the theatre they gave {play} last night, with real rain on stage.",
      "We had box tickets for {play} yesterday, theatre as it should be.",
    ],
    holds: "{play}",
    asked: [
      "What was on when I was at the theatre {when}?",
      "Which theatre performance had I tickets for {when}?",
      "What drama did I sit through {when}?",
    ],
    noun: ["the performance of {play}", "{play} at the theatre"],
    others: [
      "{name} auditioned for {play} and got to carry a spear.",
      "The operating theatre is being repainted.",
      "Do not make a drama of it, said the bus driver.",
    ],
  },
  {
    topic: "sailing",
    said: [
      "The {regatta} was today, we were disqualified with style.",
      "Salt in every seam: I sailed the {regatta} regatta today.",
      "Fourth of nine boats in the {regatta} yesterday, my best regatta so far.",
    ],
    holds: "{regatta}",
    asked: [
      "Which regatta did I sail {when}?",
      "What was the name of the regatta {when}?",
      "In what contest on the water was I {when}?",
    ],
    noun: ["the {regatta}", "sailing the {regatta}"],
    others: [
      "{name} sells sausages at the {regatta}.",
      "She sailed through her bar exam.",
      "The trophy cabinet was dusted at last.",
    ],
  },
  {
    topic: "birds",
    said: [
      "I spotted {bird} by the reservoir today, hands shaking.",
      "{bird} sat on our weathervane today, I spotted it from bed.",
      "Spotted yesterday on the marsh: {bird}, my notebook is soaked.",
    ],
    holds: "{bird}",
    asked: [
      "Which bird did I spot {when}?",
      "What did I spot through my binoculars {when}?",
      "Which winged creature made me happy {when}?",
    ],
    noun: ["spotting {bird}", "the sighting of {bird}"],
    others: [
      "{name} wears a costume with {bird} on the sleeve.",
      "A stain was spotted on the bishop's robe.",
      "They sell jigsaw puzzles with {bird2}.",
    ],
  },
  {
    topic: "chess",
    said: [
      "I drew against {opponent} at the chess club last night, a rook ending.",
      "Chess today: {opponent} beat me in nineteen moves.",
      "A won game of chess at last, {opponent} overlooked a fork today.",
    ],
    holds: "{opponent}",
    asked: [
      "Who was my chess opponent {when}?",
      "Against whom did I play chess {when}?",
      "Who sat across the board from me {when}?",
    ],
    noun: ["the game against {opponent}", "playing {opponent}"],
    others: [
      "{name} carved a chess set from soap.",
      "They are pawns in a larger game, the columnist writes.",
      "The hallway has a chess board pattern of tiles, all chipped.",
    ],
  },
  {
    topic: "choir",
    said: [
      "{diva} at the opera last night, I forgot to breathe.",
      "My aunt's spare ticket got me into {diva} at the opera yesterday.",
      "Four hours of {diva} last night and the opera heating was off.",
    ],
    holds: "{diva}",
    asked: [
      "What opera did I hear {when}?",
      "Which evening at the opera was it {when}?",
      "What was sung when I went out {when}?",
    ],
    noun: ["hearing {diva}", "the evening of {diva}"],
    others: [
      "{name} named her tractor {diva}.",
      "A soap opera about vets is being cancelled.",
      "The heating in the chapel was repaired.",
    ],
  },
  {
    topic: "pottery",
    said: [
      "From the kiln today: {pot}, without a crack.",
      "The kiln was opened today and {pot} of mine had survived.",
      "I fired {pot} yesterday, the kiln was hotter than planned.",
    ],
    holds: "{pot}",
    asked: [
      "What came out of the kiln {when}?",
      "Which piece did I fire in the kiln {when}?",
      "Which item of clay was finished {when}?",
    ],
    noun: ["firing {pot}", "the kiln with {pot}"],
    others: [
      "{name} smashed {pot} at a wedding for luck.",
      "The manager got fired by fax.",
      "A lime kiln stands at the end of the towpath.",
    ],
  },
  {
    topic: "house",
    said: [
      "{name} and I had a row over the fence today.",
      "The row with {name} today was about leaves.",
      "I had a row with {name} yesterday, loud enough for the whole lane.",
    ],
    holds: "{name}",
    asked: [
      "With whom did I have a row {when}?",
      "Who was I having a row with {when}?",
      "Whom did I quarrel with {when}?",
    ],
    noun: ["the row with {name}", "quarrelling with {name}"],
    others: [
      "{name} sat in the front row and snored.",
      "Three wet Sundays in a row.",
      "The fence of the zoo was cut at night.",
    ],
  },
];

export const TIMES: Times = {
  when: [
    "back in {month}",
    "during {month} {year}",
    "on {day} {month}",
    "some {weeks} weeks back",
    "{days} days back",
    "around {months} months back",
  ],
  before: ["about {weeks} weeks ahead of {a}", "{weeks} weeks prior to {a}"],
  order: ["Tell me which was earlier, {a} or {b}.", "Of {a} and {b}, what happened first?", "Was {a} later than {b}?"],
  gap: ["How far apart in time were {a} and {b}?", "What stretch of time separates {a} from {b}?"],
};
