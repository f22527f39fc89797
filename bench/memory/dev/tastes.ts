import type { Fact } from "../material.ts";

/** What the user likes or lives by; the question asks for advice that depends on it. */
export const TASTES: readonly Fact[] = [
  {
    topic: "books",
    said: [
      "When I read on the train it is nearly always {genre}, any other book puts me to sleep.",
      "I cannot get enough of {genre} these days, my night table is one pile of books.",
    ],
    holds: "{genre}",
    asked: [
      "Can you suggest a book that I would enjoy?",
      "What should I read next on the train?",
      "Recommend something for my night table.",
    ],
    others: [
      "{person} reads only {genre2} and lends them to nobody.",
      "Our library moved all {genre3} to the basement.",
    ],
  },
  {
    topic: "weddings",
    said: [
      "I have been {diet} for six years, so cooking dinner for me is a puzzle to my friends.",
      "Being {diet}, I always ring the restaurant first and ask about the menu.",
    ],
    holds: "{diet}",
    asked: [
      "What could I cook for dinner tonight?",
      "Can you plan meals for my week?",
      "Which restaurant menu would suit the way I eat?",
    ],
    others: [
      "{person}'s in-laws are all {diet2}, which makes Sunday lunch easy.",
      "A {diet3} cafe has opened where the bank used to be.",
    ],
  },
  {
    topic: "camping",
    said: [
      "When I travel I always reserve {seat}, otherwise my knees complain.",
      "For a long trip I only book {seat}, I am fussy about how I travel.",
    ],
    holds: "{seat}",
    asked: [
      "Can you help me reserve a trip to {city}?",
      "Which places should I book for the ride to {city}?",
      "How should I travel to {city} in comfort?",
    ],
    others: [
      "The tour company promised {seat2} to {person} and then put her in the back.",
      "{person2} got married in {city2} and the journey took a day.",
    ],
  },
  {
    topic: "coffee",
    said: [
      "My mornings start with coffee, a {roast}, and I would not swap it for anything.",
      "I have settled on {roast} after trying all the coffee beans on the shelf.",
    ],
    holds: "{roast}",
    asked: ["Which coffee should I order?", "What beans would I like as a treat?", "What shall I put in my grinder?"],
    others: ["The hotel served a {roast2} that tasted of ash.", "{person} drinks {roast3} by the litre."],
  },
  {
    topic: "code",
    said: [
      "I do all my programming in {editor} and have no wish to change that.",
      "My fingers only know {editor} when I write programs, so please no menus.",
    ],
    holds: "{editor}",
    asked: [
      "How should I set up my programming environment?",
      "Which shortcuts help me write programs faster?",
      "Can you recommend plugins for the way I work on code?",
    ],
    others: [
      "The students next to me fight about {editor2} all day.",
      "{person} gave a talk on the history of {editor3}.",
    ],
  },
  {
    topic: "photos",
    said: [
      "I do my photography with {lens} and nothing else, that is half of the fun for me.",
      "On every photo tour {lens} is the only lens that I take along.",
    ],
    holds: "{lens}",
    asked: [
      "Which photography accessories would go with my lens?",
      "What equipment should I buy for my next photo tour?",
      "What could I wish for to take better pictures?",
    ],
    others: [
      "A {camera} was stolen from {person}'s bag on the tram.",
      "My nephew wants to be a photographer, this month at least.",
    ],
  },
  {
    topic: "weddings",
    said: [
      "I only wear {fabric} clothes next to my skin, everything else itches.",
      "All the clothes I wear are {fabric} by now, since other stuff itches.",
    ],
    holds: "{fabric}",
    asked: [
      "What should I wear to the party?",
      "Which clothes would suit me for summer?",
      "Help me pick an outfit I will feel good in.",
    ],
    others: [
      "{person}'s curtains are made of {fabric2} and the cat loves them.",
      "The market has a stall with {fabric3} by the metre.",
    ],
  },
];
