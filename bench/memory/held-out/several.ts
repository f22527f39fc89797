import type { Pair, Tally } from "../material.ts";

/** The same sort of thing, told in several conversations. Not to be read by whoever works on a search. */
export const TALLIES: readonly Tally[] = [
  {
    topic: "knitting",
    said: [
      "Cast off at last: {wool}, knitted on the ferry for the most part.",
      "I knitted {wool} for the raffle and nobody bought a ticket.",
      "Another evening, another project: {wool} is knitted and blocked.",
      "Look what I knitted, {wool}, with one dropped stitch only.",
    ],
    holds: "{wool}",
    asked: [
      "What have I knitted so far?",
      "How many pieces did I knit?",
      "Count the woollen goods that came from my needles.",
    ],
    others: [
      "{name} knitted {wool} for her hamster.",
      "A close-knit village, says the brochure.",
      "{name2} unravelled {wool2} in one furious night.",
    ],
  },
  {
    topic: "garden",
    said: [
      "I harvested the first {veg}, slugs had eaten the rest.",
      "The {veg} that I grow by the fence were harvested before the frost.",
      "We harvested {veg} by the bucket and gave half to the nuns.",
      "In the raised bed {veg} did so well that I harvested twice.",
    ],
    holds: "{veg}",
    asked: [
      "Which vegetables have I harvested?",
      "How many kinds of crop were harvested from my beds?",
      "What all did my plot yield?",
    ],
    others: [
      "{name} pickles {veg} in jars from 1990.",
      "Grape harvest has begun in the valley.",
      "The soup kitchen served {veg2} to forty.",
    ],
  },
  {
    topic: "aquarium",
    said: [
      "I added {fish} to the tank, they are hiding behind the heater.",
      "The tank has {fish} now, a gift from the closing pet shop.",
      "My newest tank dwellers are {fish}, shy but curious.",
      "Into the tank went {fish}, after a week in quarantine.",
    ],
    holds: "{fish}",
    asked: [
      "Which fish live in my tank?",
      "How many sorts of fish did I put into the tank?",
      "Who swims behind my glass?",
    ],
    others: [
      "{name} overfed {fish} until the water turned.",
      "A tank rolled past us in the parade.",
      "The think tank published another report on pensions.",
    ],
  },
  {
    topic: "sailing",
    said: [
      "We dropped anchor at {island} for two nights, the bay was full of jellyfish.",
      "{island} was our anchorage on the way, a rocky island with goats.",
      "The anchor held off {island} in a gale, I did not sleep.",
      "A week around {island}: one anchor lost, two lobsters won.",
    ],
    holds: "{island}",
    asked: [
      "Off which islands have we dropped anchor?",
      "How many islands did we anchor at?",
      "List the places where our chain went down.",
    ],
    others: [
      "{name} honeymooned on {island} in a storm.",
      "The news anchor laughed on air.",
      "A traffic island was planted with tulips.",
    ],
  },
  {
    topic: "woodwork",
    said: [
      "My workshop has {tool} now, bought from a widow.",
      "I bid on {tool} and won, so the workshop is full.",
      "There is {tool} in my workshop at last, still in grease paper.",
      "Found for the workshop: {tool}, a bit rusty, very heavy.",
    ],
    holds: "{tool}",
    asked: [
      "What have I acquired for my workshop?",
      "How many tools went into the workshop?",
      "Which machines and hand tools are mine by now?",
    ],
    others: [
      "{name} lost a thumbnail to {tool}.",
      "A writing workshop in the chapel is fully booked.",
      "{name2} rents out {tool2} by the hour.",
    ],
  },
  {
    topic: "genealogy",
    said: [
      "{name} got engaged on a glacier, the ring fell into a crevasse.",
      "Imagine, {name} is engaged to the plumber.",
      "{name} rang at dawn to say that she got engaged.",
      "An engagement in the family, {name} said yes on the bus.",
    ],
    holds: "{name}",
    asked: [
      "Who of my circle got engaged?",
      "How many engagements have there been around me?",
      "For how many couples should I expect a marriage?",
    ],
    others: [
      "The line was engaged all day at the tax office.",
      "{name} is a most engaging speaker on peat.",
      "My godmother broke off hers in 1961.",
    ],
  },
  {
    topic: "astronomy",
    said: [
      "I observed {comet} until my toes froze.",
      "Clear skies at last, I observed {comet} from the roof.",
      "From the car park I observed {comet}, with a guard watching me.",
      "Between two clouds {comet} could be observed, ten minutes of joy.",
    ],
    holds: "{comet}",
    asked: [
      "What objects have I observed in the sky?",
      "How many things did I observe at night?",
      "Which celestial sights did I catch?",
    ],
    others: [
      "{name} painted {comet} on the nursery wall.",
      "A minute of silence was observed at the stadium.",
      "Observers from abroad monitored the vote.",
    ],
  },
];

/** What one question puts together. Not to be read by whoever works on a search. */
export const PAIRS: readonly Pair[] = [
  {
    topic: "motorbikes",
    parts: [
      {
        said: [
          "The leather jacket for riding cost {sum}, second-hand.",
          "For {sum} I got a leather jacket to ride in.",
        ],
        holds: "{sum}",
      },
      { said: ["My crash helmet was {sum2}, on offer.", "A crash helmet for {sum2}, that hurt."], holds: "{sum2}" },
    ],
    asked: [
      "Leather jacket plus crash helmet, what did both come to?",
      "What did jacket and helmet cost when added up?",
      "Sum up my expenses for protective gear.",
    ],
    others: [
      "{name} wore a leather jacket to the christening.",
      "The stock market crash ruined {name2}'s landlord for {sum3}.",
    ],
  },
  {
    topic: "house",
    parts: [
      {
        said: ["The plumber billed {sum} for the burst tap.", "A burst tap and a plumber, {sum} gone."],
        holds: "{sum}",
      },
      {
        said: ["The chimney sweep took {sum2} and a cup of tea.", "We owe the chimney sweep {sum2}."],
        holds: "{sum2}",
      },
    ],
    asked: [
      "Plumber and chimney sweep together, how expensive were they?",
      "Who billed more, the plumber or the chimney sweep?",
      "What have craftsmen charged us overall?",
    ],
    others: ["{name} played a chimney sweep on stage.", "Tap dancing lessons are {sum3} a term."],
  },
  {
    topic: "genealogy",
    parts: [
      {
        said: [
          "My godchild {name} is eleven and collects bones.",
          "Eleven already, my godchild {name}, and taller than me.",
        ],
        holds: "eleven",
      },
      {
        said: ["{name2}, the other godchild, is sixteen and in love.", "My other godchild {name2} has turned sixteen."],
        holds: "sixteen",
      },
    ],
    asked: [
      "What age gap do my godchildren {name} and {name2} have?",
      "By how many years is {name2} older than {name}?",
      "How far apart in age are the children I am sponsor to?",
    ],
    others: [
      "{name3} is godmother to half the village.",
      "A sixteen-tonne lorry got stuck, with eleven cars behind it.",
    ],
  },
  {
    topic: "nursing",
    parts: [
      {
        said: [
          "The refresher on wound care will take me to {village}.",
          "My refresher for wound care is held in {village}, of all places.",
        ],
        holds: "{village}",
      },
      {
        said: [
          "Our union congress meets in {village2} and I am a delegate.",
          "As a delegate to the union congress I get sent to {village2}.",
        ],
        holds: "{village2}",
      },
    ],
    asked: [
      "Where do the refresher and the union congress take place?",
      "Which two places for wound care refresher and congress?",
      "Where does my profession make me go?",
    ],
    others: [
      "{name} delegates everything, even his holidays.",
      "A drink as a refresher would be welcome, said the mayor of {village3}.",
    ],
  },
  {
    topic: "nutrition",
    parts: [
      {
        said: [
          "For hay fever I was prescribed {drops}, morning and night.",
          "The hay fever remedy is {drops}, shaken first.",
        ],
        holds: "{drops}",
      },
      {
        said: ["Against my asthma it is {drops2} before sport.", "The asthma nurse told me {drops2} before sport."],
        holds: "{drops2}",
      },
    ],
    asked: [
      "How much do I use against hay fever and asthma?",
      "Which is more, my hay fever or my asthma dosage?",
      "What remedies am I on, in numbers?",
    ],
    others: ["{name} made hay while the sun shone, literally.", "Auction fever gripped the hall, {name2} says."],
  },
];
