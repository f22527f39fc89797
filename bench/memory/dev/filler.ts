import type { Filler } from "../material.ts";
import { BLOCKS } from "./blocks.ts";
import { HOME_TOPICS } from "./topics-home.ts";
import { OUT_TOPICS } from "./topics-out.ts";
import { WORK_TOPICS } from "./topics-work.ts";

/** What all the rest of the talk is made of. */
export const FILLER: Filler = {
  topics: [...HOME_TOPICS, ...WORK_TOPICS, ...OUT_TOPICS],
  lists: {
    adj: (
      "modest steady cheap rough calm simple heavy clever gentle narrow familiar sturdy fresh awkward tidy common loose clear " +
      "warm dull honest quick spare plain strict mild brief formal lively rare hollow brisk faint bold crisp damp dense drab " +
      "earnest fancy flimsy frugal glossy grim hardy hasty humble idle jagged keen lean lofty mellow muddy neat noisy pale patchy"
    ).split(" "),
    noun: (
      "window table morning neighbour garden kitchen market street letter picture ticket bottle engine button pocket ceiling " +
      "shelf corner basket summer station mirror bucket lesson voice paper ladder blanket island river anchor barrel beacon " +
      "bracket canal candle carpet chimney cupboard curtain donkey drawer fence ferry fiddle flag fountain funnel gravel hammer " +
      "harbour hedge hinge jacket kettle knot lantern lawn magnet marble meadow needle oven parcel pebble pillow plank pulley " +
      "quarry ribbon saddle sand scarf shutter spoon stool tile torch tunnel valve velvet wagon wheel whistle willow"
    ).split(" "),
    verb: (
      "check move count keep change compare clean store name open mark borrow drop carry test watch write cover split share adjust " +
      "balance bundle circle clip dim drain fasten fold frame gather grease hang label lift loosen measure pack peel polish " +
      "press rinse scrape seal shake soak sort stack stretch swap tilt trim twist weigh wrap"
    ).split(" "),
    amount: ["$15", "$35", "$60", "$95", "$130", "$180", "$240", "$500", "a few dollars", "half a month's pay"],
    time: [
      "a day",
      "two days",
      "a week",
      "ten minutes",
      "an hour",
      "a month",
      "half an hour",
      "three evenings",
      "a fortnight",
      "a season",
    ],
    number: ["three", "four", "five", "six", "eight", "ten", "twelve", "twenty"],
    ident: "row item batch entry total index offset buffer label user order point".split(" "),
  },
  openers: [
    "Good question, let us take it step by step.",
    "Here is how I would go about it.",
    "Sure, this comes up a lot.",
    "There are a few ways to look at this.",
    "Happy to help with that.",
    "Short version first: it depends on the {noun}.",
    "Let me lay out the main points.",
    "This is easier than it looks.",
    "I would start with what you already have.",
    "Below is a plan that should hold for {time}.",
  ],
  closers: [
    "Tell me how it goes.",
    "Would you like me to go into any of these?",
    "If you share more about the {noun}, I can be more exact.",
    "I can turn this into a checklist if you like.",
    "Let me know what you decide.",
    "That should get you through {time}.",
    "Shall I make it shorter?",
    "Ask again if something is unclear.",
    "Good luck with it!",
    "I hope that this makes it more {adj}.",
  ],
  reasons: [
    ", as the {noun} rarely gives you a second chance.",
    ", since a {adj} start saves {time}.",
    ", and it costs less than {amount}.",
    ", which most people only learn after {time}.",
    ", because a {adj} {noun} is worth more than a {adj2} one.",
    ", even if the {noun} says otherwise.",
    ", or the {noun} will remind you.",
    ", unless you have {time} to spare.",
    ", so that nobody has to {verb} it twice.",
    ", although opinions differ on the {noun}.",
    ", and then you {verb} what is left.",
  ],
  sentences: [
    "In {number} out of twenty cases a {adj} {noun} is all it takes.",
    "You could also {verb} the {noun} and see what happens in {time}.",
    "Think of it as a {noun} with a {adj} edge.",
    "What matters is the order: {verb} first, {verb2} later.",
    "Some would say that {amount} is the limit, I find that {adj}.",
    "Keep a {noun} at hand, you will need it once in {time}.",
    "The name of the thing differs from place to place, the idea does not.",
    "Do not let a {adj} {noun} decide for you.",
    "Where it says {number}, read it as a rule of thumb.",
    "People tend to {verb} too early and to {verb2} too late.",
    "A friend with a {adj} eye will see it in ten seconds.",
    "My advice is to {verb} one {noun} a week and leave the rest.",
    "There is a {adj} way, a {adj2} way, and the one that works.",
    "If you have to choose, take the {adj} one.",
    "It is fine to stop after {time} and come back.",
    "Buy it only when you have borrowed it twice.",
    "The first month is hard, the second is dull, the third is a habit.",
    "Set a reminder for {time} from now.",
    "Whoever uses the {noun} should also {verb} it.",
    "Nothing about this is urgent, although it feels so.",
  ],
  context: [
    "I have about {time} for it.",
    "Please keep it {adj}, I read this on the bus.",
    "Money is a bit tight, {amount} at most.",
    "I tried something similar once and gave up after {time}.",
    "There are {number} of us.",
    "I know the basics but not more.",
    "A friend said that it was {adj}, I doubt it.",
    "No long theory, please.",
    "It has to work with what is in the house.",
    "I would like to understand the reason, too.",
    "Last time I asked about a {noun} you were a great help.",
    "Assume that I know nothing.",
  ],
  smallTalk: [
    "I slept badly because of the wind.",
    "The bus was late again and full of school bags.",
    "It has not stopped raining since Sunday.",
    "My tea went cold while I was looking for the {noun}.",
    "Somebody is drilling next door, so forgive my typos.",
    "I found {amount} in an old jacket, small joys.",
    "There was a power cut and we ate by candlelight.",
    "The neighbours are having a party for the third night.",
    "I have eaten far too many biscuits today.",
    "Spring is late this year.",
    "My inbox has four hundred unread mails.",
    "We watched a film about a {noun} that was far too long.",
    "A colleague told me about a {adj} {noun} at lunch.",
    "The children next door taught me a card game.",
    "I lost my umbrella, the third one.",
    "The lift is out of order and I live on the fifth floor.",
    "I am hungry, as you may notice.",
    "Someone left a {noun} on our stairs.",
    "The new season of that show everybody talks about left me cold.",
    "I saw a fox in the street tonight.",
  ],
  bridges: [
    "By the way:",
    "Oh, and one thing besides.",
    "Not that it matters here:",
    "Sorry, I am a bit scattered.",
    "On another note:",
    "Before I forget:",
  ],
  thanks: [
    "Sounds like a full week!",
    "Thanks for telling me.",
    "Oh, I see. “{said}” – I will keep it in mind.",
    "So: {said}. That must keep you busy.",
    "Understood ({said}), and now to your question.",
    "“{said}”, you say – I hope it turns out well.",
    "{said} – noted.",
  ],
  blocks: BLOCKS,
};
