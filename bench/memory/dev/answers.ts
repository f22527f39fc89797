import type { Answer } from "../material.ts";

/** What the assistant said among other things, when it was asked for something. */
export const ANSWERS: readonly Answer[] = [
  {
    topic: "camping",
    request: [
      "Where could we eat well in {city} without booking weeks ahead?",
      "We have one free evening in {city}, any ideas for supper?",
    ],
    said: [
      "{bistro} in {city} keeps half of its tables for walk-ins and does a fine {dish}.",
      "For {dish} I would go to {bistro}, a small room behind the market of {city}.",
    ],
    holds: "{bistro}",
    asked: [
      "You once named a restaurant in {city} for me. What was it called?",
      "Which place to eat did you suggest for {city}?",
      "Remind me where you told me to have {dish}.",
    ],
    others: [
      "{person} got food poisoning at {bistro2} and still goes back.",
      "Next to my gym there is a {dish2} stall with a queue around the block.",
    ],
  },
  {
    topic: "camping",
    request: [
      "I need a cheap bed in {city2} for two nights, near the station.",
      "Where do people stay in {city2} if they arrive late?",
    ],
    said: [
      "{hostel} is ten minutes from the station and its desk is staffed all night.",
      "The most pleasant late arrival is at {hostel}, where the night porter makes toast.",
    ],
    holds: "{hostel}",
    asked: [
      "What was the hotel that you recommended in {city2}?",
      "Which accommodation with someone at the desk all night did you find for me?",
      "Where did you say I could sleep in {city2}?",
    ],
    others: ["The film was shot at {hostel2}, they say.", "{person} lost a suitcase between {city3} and {city4}."],
  },
  {
    topic: "code",
    request: [
      "Can you write me a helper that merges overlapping rows before the export?",
      "I need a small helper for the nightly export, it chokes on overlapping rows.",
    ],
    said: [
      "Put it into {file} and call {func} once for every batch, then write the result.",
      "I named the helper {func}; it lives in {file} and returns the rows in order.",
    ],
    holds: "{func}",
    asked: [
      "What did you call the function that you wrote for my export?",
      "What was the name of the helper for overlapping rows?",
      "Which routine did you give me for that nightly job?",
    ],
    others: [
      "A colleague broke {func2} on a Friday afternoon.",
      "Our export of wine to {country} is stuck at the border.",
    ],
  },
  {
    topic: "running",
    request: [
      "My hips are stiff after long runs. What could I do about it in the evening?",
      "Could you give me a short routine against stiff hips?",
    ],
    said: [
      "Hold {stretch} for ninety seconds a side, it reaches what sitting shortens.",
      "End with {stretch}, slowly, and breathe out as you sink.",
    ],
    holds: "{stretch}",
    asked: [
      "Which stretch did you tell me to do for my hips?",
      "What exercise did you recommend against stiffness?",
      "What was I meant to finish my evening routine with?",
    ],
    others: [
      "{person} teaches {stretch2} to pensioners in the park.",
      "There is a long stretch of road works by the office.",
    ],
  },
  {
    topic: "weddings",
    request: [
      "Which wine could we pour with the {dish} at the party?",
      "I am in charge of drinks for thirty people and we serve {dish}.",
    ],
    said: ["A {wine} stands up to {dish} and will not ruin you.", "With {dish} I would open {wine}, well chilled."],
    holds: "{wine}",
    asked: [
      "What wine did you suggest to go with {dish}?",
      "Which bottle did you say would match the {dish}?",
      "What drink did you advise for thirty guests?",
    ],
    others: ["{person} collects labels of {wine2}.", "The whine of the fridge is driving me up the wall."],
  },
  {
    topic: "baking",
    request: [
      "My small bakery needs a line for the paper bags, five words at most.",
      "I want a motto to print on bags for our bakery.",
    ],
    said: [
      "“{slogan}” is short, warm and easy to print.",
      "My favourite for the bags is “{slogan}”, as it reads well in one colour.",
    ],
    holds: "{slogan}",
    asked: [
      "Which slogan did you come up with for the bakery?",
      "What motto did you propose for our bags?",
      "How did the line go that you liked best for print?",
    ],
    others: ["The gym next door has “{slogan2}” on its door.", "Bags of flour cost twice what they did two years ago."],
  },
  {
    topic: "guitar",
    request: [
      "My song sounds flat between G and C, which chord could go between?",
      "I am stuck with a song, the step from G to C has no tension. Which chord helps?",
    ],
    said: [
      "Slip in {chord} for two beats, it leans towards C without giving it away.",
      "Try {chord} on the last bar, which pulls the ear forward.",
    ],
    holds: "{chord}",
    asked: [
      "What chord did you tell me to insert in my song?",
      "Which chord was meant to create tension in the verse?",
      "What did you say belongs between G and C?",
    ],
    others: [
      "{person} played {chord2} for an hour to annoy the neighbours.",
      "Something in that speech struck a chord with me.",
    ],
  },
  {
    topic: "flats",
    request: [
      "Which plant survives a dark hallway with dry air?",
      "I want something green for the hallway, it gets hardly any light.",
    ],
    said: [
      "A {plant} puts up with both, if you water it twice a month.",
      "I would put a {plant} there and turn it every few weeks.",
    ],
    holds: "{plant}",
    asked: [
      "What plant did you recommend for the hallway?",
      "Which greenery did you say copes with little light?",
      "What was it that needs watering twice a month or turning?",
    ],
    others: ["{person} killed a {plant2} by singing to it.", "The power plant outside the city is being pulled down."],
  },
];
