import type { Happening, Times } from "../material.ts";

/** What happens several times a year. */
export const HAPPENINGS: readonly Happening[] = [
  {
    topic: "guitar",
    said: [
      "My ears still ring from the {band} concert at {hall} last night.",
      "I saw {band} live in concert last night and sang along to all of it.",
      "I am hoarse, {band} played until midnight yesterday.",
    ],
    holds: "{band}",
    asked: ["Which concert did I go to {when}?", "What band did I see live {when}?", "Whose gig did I attend {when}?"],
    noun: ["the {band} concert", "seeing {band}"],
    others: [
      "{person} missed {band} because of a flat tyre.",
      "A rubber band held the whole thing together.",
      "There was music from the park all night.",
    ],
  },
  {
    topic: "camping",
    said: [
      "We climbed {peak} yesterday and my legs are jelly.",
      "I am just back from a hike to the top of {peak}, a fine mountain, sunburnt and happy.",
      "Today's hike up {peak} took nine hours.",
    ],
    holds: "{peak}",
    asked: [
      "Which mountain did I climb {when}?",
      "What was the hike I did {when}?",
      "Where did I go for a hike {when}?",
    ],
    noun: ["the hike up {peak}", "climbing {peak}"],
    others: [
      "{person} has a painting of {peak} over the sofa.",
      "The bus at peak time is unbearable.",
      "My uncle fell off a ladder, not a mountain.",
    ],
  },
  {
    topic: "running",
    said: [
      "I finished a race this morning, the {race}, with a blister.",
      "I ran the {race} today and came in last but one of the whole race.",
      "They gave me a medal at the {race} today, as to everybody.",
    ],
    holds: "{race}",
    asked: [
      "Which race did I run {when}?",
      "What race did I take part in {when}?",
      "What competition was I in {when}?",
    ],
    noun: ["the {race}", "running the {race}"],
    others: [
      "{person} hands out water at the {race}.",
      "My mind races at night.",
      "The election is a close race, it seems.",
    ],
  },
  {
    topic: "photos",
    said: [
      "We spent the afternoon at {museum} today, out of the rain.",
      "I took my mother to {museum} yesterday.",
      "I got lost during a visit to {museum} today and was found by a guard.",
    ],
    holds: "{museum}",
    asked: [
      "Which museum did I visit {when}?",
      "What museum did I go to {when}?",
      "Which exhibition did I go and look at {when}?",
    ],
    noun: ["the visit to {museum}", "going to {museum}"],
    others: [
      "{person} works at the till of {museum}.",
      "My grandmother's kitchen is a museum.",
      "They closed a gallery in {city} for repairs.",
    ],
  },
  {
    topic: "baking",
    said: [
      "I cooked {dish} for six people last night and nobody spoke for ten minutes.",
      "I cooked {dish} for the first time today, with too much salt.",
      "For dinner yesterday I tried my hand at {dish}, a dish from a blog.",
    ],
    holds: "{dish}",
    asked: ["What dish did I cook {when}?", "What did I make for dinner {when}?", "Which meal did I prepare {when}?"],
    noun: ["cooking {dish}", "the dinner with {dish}"],
    others: [
      "{person} orders {dish} wherever she goes.",
      "The satellite dish fell off the roof.",
      "They serve {dish2} at the school on Mondays.",
    ],
  },
  {
    topic: "family",
    said: [
      "{person} stayed in our spare room last night, an easy guest.",
      "I picked up our guest from the station today, {person} is staying with us.",
      "{person} came to stay yesterday, and the sofa bed survived.",
    ],
    holds: "{person}",
    asked: ["Who was our guest {when}?", "Who came to stay with me {when}?", "Which visitor did we have {when}?"],
    noun: ["the visit of {person}", "having {person} to stay"],
    others: [
      "{person} runs a guest house by the lake.",
      "A stray cat visits us at breakfast.",
      "There were four visitors at the open evening.",
    ],
  },
  {
    topic: "flats",
    said: [
      "{gadget} broke today, the one gadget that we really need.",
      "I got rid of a gadget today, {gadget} went to a man with a huge van.",
      "I gave {gadget} away yesterday, it only gathered dust.",
    ],
    holds: "{gadget}",
    asked: [
      "Which gadget did I get rid of or lose {when}?",
      "Which gadget broke or went out of the house {when}?",
      "What did I give away or part with {when}?",
    ],
    noun: ["the end of {gadget}", "parting with {gadget}"],
    others: [
      "{person} repairs {gadget} and anything else for cash.",
      "The news broke at noon.",
      "The thief got away with {gadget2}.",
    ],
  },
];

export const TIMES: Times = {
  when: [
    "in {month}",
    "in {month} {year}",
    "on {month} {day}",
    "{weeks} weeks ago",
    "{days} days ago",
    "about {months} months ago",
  ],
  before: ["roughly {weeks} weeks before {a}", "{weeks} weeks before {a}"],
  order: ["Which did I do first, {a} or {b}?", "What came earlier: {a} or {b}?", "Did {a} happen before {b}?"],
  gap: ["How many weeks passed between {a} and {b}?", "How many days lie between {a} and {b}?"],
};
