import type { Change } from "../material.ts";

/** What is told again later, with another value. */
export const CHANGES: readonly Change[] = [
  {
    topic: "running",
    values: "pace",
    first: [
      "I ran my first timed 5K in {value} and nearly threw up.",
      "My 5K took {value}, which is not bad for a beginner.",
    ],
    later: ["My 5K is down to {value}, the training works.", "This morning the watch showed {value} for 5K, so there."],
    asked: [
      "What is my personal best for 5K?",
      "How fast can I run five kilometres, 5K?",
      "What time do I run these days?",
    ],
    former: ["What was my 5K time when I began?", "How long did my very first 5K take?"],
    others: [
      "{person} did the swim in {pace} and the crowd went wild.",
      "The lift takes five minutes since the repair.",
    ],
  },
  {
    topic: "flats",
    values: "rent",
    first: [
      "The rent for the flat is {value} a month with heating.",
      "We pay {value} rent each month to the landlord, heating included.",
    ],
    later: [
      "The landlord wants {value} rent a month from us, heating included.",
      "It is {value} for the flat each month since the letter came.",
    ],
    asked: ["How much rent do I pay?", "What is our monthly rent for the flat?", "What does our landlord get from us?"],
    former: ["How much was our rent before the increase?", "What did the flat cost us per month at first?"],
    others: [
      "{person} lets out her garage for {price} a month.",
      "A rent in my trousers had to be sewn before the interview.",
    ],
  },
  {
    topic: "running",
    values: "weekday",
    first: ["Yoga is on {value}, so I cannot come to the choir then.", "I signed up for yoga on {value}."],
    later: [
      "They have put our yoga class on {value}, which suits me less.",
      "I swapped to the yoga group that meets on {value}.",
    ],
    asked: ["On which day is my yoga class?", "When do I go to yoga?", "What evening do I spend on the mat?"],
    former: ["On which day did I have yoga at first?", "When was my yoga class before I switched?"],
    others: ["The bins are collected on {weekday}, unless they are not.", "{person} has her book group on {weekday2}."],
  },
  {
    topic: "money",
    values: "savings",
    first: ["I have put aside {value} for the sabbatical so far.", "There is {value} in the pot for my sabbatical."],
    later: ["The sabbatical pot stands at {value}, bit by bit.", "I have reached {value} for the sabbatical."],
    asked: [
      "How much have I saved for my sabbatical?",
      "How large are my savings for the sabbatical?",
      "What is in my fund for time off?",
    ],
    former: ["How much had I saved for the sabbatical at first?", "What did the sabbatical fund begin with?"],
    others: ["{person} won {savings} and told nobody.", "The goalkeeper made four saves in a row."],
  },
  {
    topic: "books",
    values: "pages",
    first: ["I am at {value} of the big Russian novel and already lost.", "Only {value} of that Russian brick so far."],
    later: [
      "I have reached {value} of the Russian novel, the names get easier.",
      "I crept up to {value} in the Russian brick.",
    ],
    asked: [
      "Which page of the Russian novel am I on?",
      "How far have I got with the Russian book?",
      "Where is my bookmark?",
    ],
    former: [
      "At which page of the Russian novel was I at first?",
      "Where was I when I first complained of the Russian book?",
    ],
    others: ["{person} tore {pages} out of the phone book.", "A Russian salad is waiting in the fridge."],
  },
  {
    topic: "photos",
    values: "followers",
    first: ["My picture blog has {value}, most of them related to me.", "I have {value} on the picture blog."],
    later: [
      "The picture blog is at {value}, thanks to a photo of a goose.",
      "A goose got me up to {value} on my picture blog.",
    ],
    asked: [
      "How many followers does my picture blog have?",
      "How large is the audience of my blog?",
      "How many people subscribe to my pictures?",
    ],
    former: [
      "How many followers did my blog have in the beginning?",
      "How large was my picture blog's audience at first?",
    ],
    others: ["A band from our town has {followers} and a bus.", "{person} follows three hundred cooks."],
  },
  {
    topic: "spanish",
    values: "level",
    first: [
      "I was placed in {value} at the language school.",
      "The placement test of the language school put me at {value}.",
    ],
    later: ["The language school moved me up to {value}.", "I passed the exam for {value} at the language school."],
    asked: [
      "Which level am I at in the language school?",
      "How advanced is my language course?",
      "What grade of proficiency do I have?",
    ],
    former: ["At which level did I start in the language school?", "What level did the placement test give me?"],
    others: ["The car park has eight floors and the lift stops on six.", "{person} teaches {level} to nurses."],
  },
  {
    topic: "cycling",
    values: "minutes",
    first: [
      "My commute to the office takes {value} by bike, all uphill.",
      "I need {value} by bike to get to the office.",
    ],
    later: [
      "With the detour my bike commute to the office takes {value}.",
      "It is {value} on the bike to the office since they closed the bridge.",
    ],
    asked: [
      "How long is my commute?",
      "How long do I ride by bike to the office?",
      "What time do I lose on my way to the desk each day?",
    ],
    former: [
      "How long did my bike commute take before the bridge was closed?",
      "How much time did I need to the office originally?",
    ],
    others: ["The speech lasted {minutes} and nobody laughed.", "{person} commutes by ferry and knits."],
  },
  {
    topic: "work",
    values: "person",
    first: [
      "I report to {value}, who answers everything with a chart.",
      "My manager {value} wants a chart for everything.",
    ],
    later: ["{value} has taken over as my manager, no more charts.", "After the shuffle I report to {value}."],
    asked: ["Who is my manager?", "Who do I report to?", "Who is the manager above me?"],
    former: ["Who was my first manager?", "Who did I report to before the reorganisation?"],
    others: [
      "{person} manages a football club of ten-year-olds.",
      "The weather report was wrong again, says {person2}.",
    ],
  },
];
