import type { Topic } from "../material.ts";

export const OUT_TOPICS: readonly Topic[] = [
  {
    name: "cars",
    things:
      "brake pad, clutch, oil change, spare tyre, dashboard light, timing belt, headlight, insurance claim, parking permit, test drive, air filter, tow bar".split(
        ", ",
      ),
    asks: [
      "How do I know that the {thing} has to be replaced?",
      "The garage wants {amount} for the {thing}, is that {adj}?",
      "What can I do about a {thing} myself?",
      "How many miles does a {thing} last?",
      "Write a complaint about the {thing} to the dealer.",
    ],
    tips: [
      "Listen to the {thing} at low speed with the radio off.",
      "A mechanic should show you the old {thing} before you pay.",
      "Drivers notice a worn {thing} in the rain first.",
      "Ask for a quote on the {thing} in writing.",
      "The manual says how often the {thing} is due, mostly every {time}.",
      "Cheap parts make the {thing} {adj} within a year.",
      "Rust behind the {thing} spreads quickly in winter.",
      "Keep the receipts for the {thing} in the glove box.",
    ],
  },
  {
    name: "photos",
    things:
      "aperture, tripod, raw file, memory card, white balance, lens hood, contact sheet, darkroom, flash, exposure, photo blog, portrait".split(
        ", ",
      ),
    asks: [
      "How do I use the {thing} when the light is {adj}?",
      "What is a {thing} good for when I photograph people?",
      "Which mistake do beginners make with the {thing}?",
      "Describe a project of {number} pictures around a {thing}.",
      "Is a second-hand {thing} for {amount} a risk?",
    ],
    tips: [
      "Set the {thing} first and leave the rest to the camera.",
      "Take the same picture with and without the {thing}.",
      "A {adj} background makes the {thing} matter less.",
      "Manual focus and a {thing} slow you down in a good way.",
      "Back up the {thing} on the same evening.",
      "Shoot early or late, as noon is hard on the {thing}.",
      "Visitors of a blog stay for {time}, so show the best shot first.",
      "Museums often forbid the {thing}, ask at the desk.",
    ],
  },
  {
    name: "camping",
    things:
      "sleeping bag, tent peg, gas stove, trail map, head torch, water filter, rain jacket, campsite, rucksack, bear box, ferry ticket, hammock".split(
        ", ",
      ),
    asks: [
      "What do I pack besides a {thing} for {time} outdoors?",
      "Is a {adj} {thing} enough in the mountains?",
      "Plan a route for {number} days with a {thing}.",
      "How heavy may a {thing} be?",
      "What do I do if the {thing} fails far from any town?",
    ],
    tips: [
      "Try the {thing} in the garden before the trip.",
      "Mountains make their own weather, so the {thing} stays on top.",
      "Hang the food and the {thing} away from the tents.",
      "A {adj} {thing} weighs more and lasts longer.",
      "Trains take a {thing} for free on most routes.",
      "Tell somebody which hike you take and when you will be back.",
      "Cities along the way are the place to replace a {thing}.",
      "Dry the {thing} at home for {time}, or it will smell.",
    ],
  },
  {
    name: "guitar",
    things:
      "capo, barre chord, metronome, tuning peg, amp, finger exercise, chorus, bass line, sheet music, string gauge, music stand, pedal".split(
        ", ",
      ),
    asks: [
      "How do I practise with a {thing} and not lose heart?",
      "Explain what a {thing} does to a {adj} song.",
      "Which {thing} is right for somebody with small hands?",
      "Write a practice plan of {number} weeks around the {thing}.",
      "Is {amount} a fair price for a {thing}?",
    ],
    tips: [
      "Play it with the {thing} at half the speed for {time}.",
      "Strings go out of tune when the {thing} is new.",
      "A {adj} tone comes from the fingers and not from the {thing}.",
      "Record yourself with the {thing}, the ear lies while you play.",
      "Musicians hear the {thing}, listeners hear the song.",
      "Bands fall apart over the {thing} and over money.",
      "Loosen the wrist when the {thing} hurts.",
      "Change the chord on the beat before the {thing}.",
    ],
  },
  {
    name: "running",
    things:
      "interval session, running shoe, heart rate zone, cool-down, foam roller, training plan, starting block, water stop, side stitch, yoga mat, long run, race number".split(
        ", ",
      ),
    asks: [
      "How should the {thing} look in the week before a race?",
      "Is a {thing} useful after {time} without sport?",
      "What do I eat before a {adj} {thing}?",
      "Set up {number} weeks of training with a {thing}.",
      "Why does my knee hurt after a {thing}?",
    ],
    tips: [
      "Run the {thing} slow enough to talk.",
      "Beginners make the {thing} too {adj} and stop after a month.",
      "Add a tenth to the {thing} each week and no more.",
      "Sleep does more for your time than the {thing}.",
      "A stretch after the {thing} is pleasant, whether or not it helps.",
      "Races are won with what the {thing} has not used up.",
      "Swap the {thing} for a walk when you are ill.",
      "Look ahead and not at the {thing}.",
    ],
  },
  {
    name: "cycling",
    things:
      "chain guard, bike lane, pannier, puncture kit, helmet, gear cable, hill climb, bike lock, mudguard, lights, saddle height, detour".split(
        ", ",
      ),
    asks: [
      "How do I choose a {thing} for the ride to the office?",
      "What does the law say about a {thing}?",
      "Is a {adj} {thing} worth carrying?",
      "Teach me how to fix a {thing} in {time}.",
      "How do people commute in winter with a {thing}?",
    ],
    tips: [
      "Check the {thing} every Monday before you leave.",
      "Commuters lose more time at lights than on a {thing}.",
      "A {adj} {thing} saves you an hour a week.",
      "Thieves look for the {thing} and then for the frame.",
      "Cities build a {thing} where somebody counted the bikes.",
      "Ride as if the {thing} were invisible.",
      "Oil the {thing}, wait, and wipe it dry.",
      "Clothes for the office fit into the {thing} if you roll them.",
    ],
  },
];
