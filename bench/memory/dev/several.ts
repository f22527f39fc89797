import type { Pair, Tally } from "../material.ts";

/** The same sort of thing, told in several conversations. */
export const TALLIES: readonly Tally[] = [
  {
    topic: "guitar",
    said: [
      "I found a second-hand {instrument} at the flea market, an instrument that I could not walk past.",
      "My {instrument} needs new strings or pads or whatever it is that makes an old instrument squeak.",
      "I practised the {instrument} until the neighbours knocked on the wall.",
      "An old {instrument} came with the house, so I own one more instrument now.",
    ],
    holds: "{instrument}",
    asked: [
      "How many musical instruments do I own?",
      "Which instruments do I have at home?",
      "List all my instruments.",
    ],
    others: [
      "{person} plays the {instrument} in a brass band.",
      "The blunt instrument was never found, says the crime podcast.",
      "{person2} sold her {instrument2} to pay for the vet.",
    ],
  },
  {
    topic: "baking",
    said: [
      "I baked {cake} for the street party and nothing was left.",
      "I baked for hours and my {cake} came out of the oven flat, so I need to vent.",
      "There is {cake} cooling on the sill while I write, my first try.",
      "I baked {cake}, brought it to the office and was loved for a day.",
    ],
    holds: "{cake}",
    asked: [
      "How many different things have I baked?",
      "What have I baked over the months?",
      "Name everything that I made in my oven.",
    ],
    others: [
      "{person} bought {cake} and claimed she baked it.",
      "The test was a piece of cake, says my nephew.",
      "Our canteen has {cake2} on Thursdays.",
    ],
  },
  {
    topic: "flats",
    said: [
      "I bought {gadget} in the sale, a gadget that takes up half of the room.",
      "{gadget} arrived today, which I bought after too much thinking.",
      "I finally treated myself to a gadget for the household, {gadget}.",
      "The courier left {gadget} with the baker, at least I have it now.",
    ],
    holds: "{gadget}",
    asked: [
      "How many gadgets have I bought or treated myself to?",
      "Which household gadgets have I bought?",
      "What did I order or buy for our home?",
    ],
    others: [
      "{person} returned {gadget} twice before she kept one.",
      "My parents still use {gadget2} from 1985.",
      "You could see {gadget3} through the window of number nine.",
    ],
  },
  {
    topic: "camping",
    said: [
      "We took a weekend trip to {city} and walked until our feet gave up.",
      "I came back from my trip to {city} with a cold and forty photos of doors.",
      "On my trip to {city} it rained for three days without a break.",
      "The night train dropped me in {city} at five in the morning.",
    ],
    holds: "{city}",
    asked: [
      "How many cities did I take a trip to?",
      "Which cities did my trips lead to?",
      "Where all have I been on trips?",
    ],
    others: [
      "{person} studied in {city} for a year.",
      "The match in {city2} was called off because of fog.",
      "A friend's trip to {city3} was cancelled.",
    ],
  },
  {
    topic: "books",
    said: [
      "I finished the novel {book} in two sittings, what an ending.",
      "Closing {book} felt like saying goodbye to friends, I finished the novel in a week.",
      "I gave up sleep for {book} and finished it, what a novel.",
      "{book} is done, I read the last chapter on the bus.",
    ],
    holds: "{book}",
    asked: [
      "How many novels have I finished?",
      "Which novels did I read until I finished them?",
      "What did I get through as a reader?",
    ],
    others: [
      "{person} never finished {book} and pretends she did.",
      "We could book the hall for a Sunday.",
      "The theatre does {book2} on stage in autumn.",
    ],
  },
  {
    topic: "family",
    said: [
      "{person} had a baby girl on Sunday, so I am knitting like mad.",
      "My friend {person} had her baby last week and I am sending soup.",
      "There is a baby boy at {person}'s, born three weeks early.",
      "{person} and her wife welcomed twins, I held them today.",
    ],
    holds: "{person}",
    asked: [
      "How many friends of mine had a baby?",
      "Who among the people I know has a new baby or welcomed twins?",
      "For whom do I need to buy newborn presents?",
    ],
    others: [
      "The zoo has a baby elephant, we queued for an hour.",
      "{person} is babysitting four nights a week.",
      "My car is my baby, my uncle says.",
    ],
  },
  {
    topic: "health",
    said: [
      "I saw a doctor about my skin, {person}, the dermatologist at the clinic.",
      "My appointment with the doctor, {person} the cardiologist, took five minutes.",
      "{person}, the doctor at the eye hospital, says that my left eye is weaker.",
      "The ear specialist, {person}, gave me drops for a month.",
    ],
    holds: "{person}",
    asked: [
      "How many doctors have I seen?",
      "Which doctors did I have appointments with?",
      "Who treated me for anything?",
    ],
    others: [
      "{person} is reading for a doctorate in law.",
      "My uncle sees a specialist for his stamps.",
      "The vet, {person2}, has a waiting room full of parrots.",
    ],
  },
];

/** What one question puts together. */
export const PAIRS: readonly Pair[] = [
  {
    topic: "weddings",
    parts: [
      {
        said: [
          "The boots for the wedding set me back {price}, and they pinch.",
          "I paid {price} for boots to wear to the wedding.",
        ],
        holds: "{price}",
      },
      {
        said: [
          "My coat for the ceremony was {price2}, reduced.",
          "I found a coat for {price2} that will do for the ceremony.",
        ],
        holds: "{price2}",
      },
    ],
    asked: [
      "How much did I spend on boots and coat in total?",
      "What did the coat and the boots cost me together?",
      "What is the sum I paid for my wedding outfit?",
    ],
    others: [
      "{person} paid {price3} for a hat and wore it once.",
      "A car boot sale was on the field behind the church.",
    ],
  },
  {
    topic: "cars",
    parts: [
      {
        said: ["New tyres came to {price}, fitted and balanced.", "They wanted {price} for the set of tyres."],
        holds: "{price}",
      },
      {
        said: [
          "The repair of the exhaust was {price2}, ouch.",
          "I was charged {price2} as the exhaust had rusted through.",
        ],
        holds: "{price2}",
      },
    ],
    asked: [
      "What have I paid for tires and exhaust altogether?",
      "Was the exhaust more expensive than the tyres?",
      "How much money went into the car's repairs?",
    ],
    others: ["{person} is exhausted and wants a holiday.", "The bus company fined my nephew {price3}."],
  },
  {
    topic: "family",
    parts: [
      {
        said: [
          "My nephew {person} turned nine and wants to be a pirate.",
          "We lit nine candles for {person}, my nephew.",
        ],
        holds: "nine",
      },
      {
        said: [
          "My niece {person2} is fourteen and knows everything better.",
          "{person2}, my fourteen-year-old niece, has dyed the dog.",
        ],
        holds: "fourteen",
      },
    ],
    asked: [
      "How much older is {person2} than {person}?",
      "What is the age difference between my niece and my nephew?",
      "How many years lie between {person} and {person2}?",
    ],
    others: [
      "{person3} has four nephews and mixes up their names.",
      "A fourteen-hour flight with a nine-year-old is no joke, says {person4}.",
    ],
  },
  {
    topic: "work",
    parts: [
      {
        said: [
          "My talk at the design conference is in {city}, I have no slides.",
          "They accepted my conference talk, so I am off to {city}.",
        ],
        holds: "{city}",
      },
      {
        said: [
          "The team retreat will be in {city2}, in a former convent.",
          "All of us are being shipped to {city2} for the retreat of our team.",
        ],
        holds: "{city2}",
      },
    ],
    asked: [
      "Where are the conference and the retreat?",
      "Which cities are the conference and the team retreat in?",
      "To which places will my talk and the team outing take me?",
    ],
    others: ["{person}'s firm holds its retreat on a boat.", "The town of {city3} wants to be the capital of culture."],
  },
  {
    topic: "health",
    parts: [
      {
        said: [
          "The doctor put me on {dose} of the blood pressure tablets.",
          "I take {dose} for my blood pressure each morning.",
        ],
        holds: "{dose}",
      },
      {
        said: [
          "For the thyroid it is {dose2} a day, with water.",
          "My thyroid pill has {dose2}, and it must be taken on an empty stomach.",
        ],
        holds: "{dose2}",
      },
    ],
    asked: [
      "What doses of medicine do I take for blood pressure and thyroid?",
      "Which pill is stronger, the one for blood pressure or the one for the thyroid?",
      "What do I swallow every day, and how much of each?",
    ],
    others: [
      "{person}'s cat gets {dose3} of something in its food.",
      "There is a lot of pressure on us to finish early.",
    ],
  },
];
