import type { Fact } from "../material.ts";

/** What the user likes or lives by. Not to be read by whoever works on a search. */
export const TASTES: readonly Fact[] = [
  {
    topic: "choir",
    said: [
      "I put on {tempo} whenever I iron, other music makes me burn the collars.",
      "My playlist is {tempo} from first to last, no other music gets in.",
    ],
    holds: "{tempo}",
    asked: [
      "Which music might I want on a long drive?",
      "Would you make me a playlist with music for ironing?",
      "Pick tunes that please me for Sunday.",
    ],
    others: ["{name} plays {tempo2} on a saw.", "The busker by the fountain does {tempo3}, badly."],
  },
  {
    topic: "nutrition",
    said: [
      "Our household has gone {habit}, so supper takes some planning.",
      "I keep {habit}, which makes eating out and every supper club a quiz.",
    ],
    holds: "{habit}",
    asked: [
      "What supper would you plan for my household?",
      "Where could I go eating out on Saturday?",
      "Think of a snack for me.",
    ],
    others: [
      "{name}'s camp was {habit2} for all, to the horror of the boys.",
      "A {habit3} bakery won the prize of the region.",
    ],
  },
  {
    topic: "sailing",
    said: [
      "Wherever we stay overnight I ask for {berth}, otherwise I lie awake.",
      "If I stay somewhere overnight it has to be {berth}.",
    ],
    holds: "{berth}",
    asked: [
      "What should I ask for when we stay overnight on {island}?",
      "Could you arrange an overnight stay near {lake}?",
      "How do I make sure to rest well on the journey?",
    ],
    others: ["{name} was given {berth2} and a fruit bowl by mistake.", "The fog stays overnight in the valley."],
  },
  {
    topic: "tea",
    said: [
      "At four sharp I brew {tea}, it is the only leaf that does not bore me.",
      "I brew nothing but {tea} since that stall at the fair.",
    ],
    holds: "{tea}",
    asked: [
      "What leaf should I brew this afternoon?",
      "Suggest something to brew that does not bore me.",
      "What would make a good refill for my caddy?",
    ],
    others: ["They brew trouble at the council again.", "{name} found {tea2} too perfumed for church."],
  },
  {
    topic: "spreadsheets",
    said: [
      "My wrists only tolerate {keyboard}, any other way of typing hurts.",
      "I have been typing with {keyboard} since my wrists gave out.",
    ],
    holds: "{keyboard}",
    asked: [
      "How can I spare my wrists while typing?",
      "Which gear would suit my wrists at the new desk?",
      "Advise me on a comfortable computer setup.",
    ],
    others: [
      "{name} types with two fingers and looks at neither.",
      "The typing pool was dissolved in the eighties, says {name2}.",
    ],
  },
  {
    topic: "house",
    said: [
      "In my home all fittings are {metal}, anything shiny I unscrew at once.",
      "I collect old fittings for our home, as long as they are {metal}.",
    ],
    holds: "{metal}",
    asked: [
      "Which fittings would look right in my home?",
      "What door fittings should I hunt for at the salvage yard?",
      "Choose taps that match my style.",
    ],
    others: ["The tailor does two fittings, then the suit is done.", "{name} sold a {metal2} bath to a hotel."],
  },
  {
    topic: "knitting",
    said: [
      "I feel at ease in {garb} and in nothing else, so my suitcase is tiny.",
      "My suitcase for any season holds {garb} and more {garb}.",
    ],
    holds: "{garb}",
    asked: [
      "What goes into my suitcase for {island}?",
      "Help me pack a suitcase that I feel at ease with.",
      "What attire should I get for the christening?",
    ],
    others: ["A suitcase was left at the ferry terminal, full of doorknobs.", "{name} upholstered a chair in {garb2}."],
  },
];
