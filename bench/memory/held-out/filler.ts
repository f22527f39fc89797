import type { Filler } from "../material.ts";
import { BLOCKS } from "./blocks.ts";
import { CRAFT_TOPICS } from "./topics-craft.ts";
import { MIND_TOPICS } from "./topics-mind.ts";
import { STAGE_TOPICS } from "./topics-stage.ts";

/** What all the rest of the talk is made of. Not to be read by whoever works on a search. */
export const FILLER: Filler = {
  topics: [...CRAFT_TOPICS, ...MIND_TOPICS, ...STAGE_TOPICS],
  lists: {
    trait: (
      "stubborn graceful delicate robust erratic tender uneven splendid timid abrupt costly deep exact feeble generous harsh " +
      "intricate lazy messy nimble obscure patient quaint restless shallow tricky usual vague wasteful zealous bland coarse " +
      "dubious elastic fierce grumpy handy icy jolly limp moody odd prudent quirky rapid sleepy thorough urgent vivid weary"
    ).split(" "),
    object: (
      "chapel ditch envelope fridge glove harness ink jar kennel lever mitten napkin orchard paddle quilt ramp sack trunk urn vase " +
      "wardrobe yard apron bench cradle dial easel feather gate hook iron joint kite lid mast nail oar pin rope sieve tray " +
      "umbrella veil wire axle boulder crate dome elbow flask grill hatch icicle jug knob lamp"
    ).split(" "),
    act: (
      "align brush carve divide erase filter grind heat inspect join knead loop mend number oil paint quote repair scan tie unfold " +
      "verify wind air bend chop draw empty flip glue hook insert jot lock mix nudge order plug roll sketch tap unpack vent warm"
    ).split(" "),
    cash: ["€12", "€28", "€45", "€70", "€110", "€160", "€230", "€480", "next to nothing", "a small fortune"],
    span: [
      "nine days",
      "a long weekend",
      "twenty minutes",
      "six weeks",
      "one full moon",
      "an afternoon",
      "ninety seconds",
      "a quarter",
      "half a day",
      "two winters",
    ],
    count: ["seven", "nine", "eleven", "thirteen", "fifteen", "thirty", "a dozen", "a pair of"],
    token: "node field record queue packet cursor stream patch cell branch frame chunk".split(" "),
  },
  openers: [
    "Glad you asked.",
    "Right, let me untangle this.",
    "In brief: yes, with one caveat about the {object}.",
    "An old chestnut, and a fair one.",
    "I would split it into parts.",
    "First the essentials, then the details.",
    "Nobody agrees on this, so take my view as one of many.",
    "What follows has worked for plenty of folks.",
    "Of course. Allow {span} for the whole of it.",
    "Here comes an overview.",
  ],
  closers: [
    "Report back once you have tried it.",
    "Shall we go deeper into one part?",
    "More details on the {object} would sharpen this.",
    "I am glad to draft a shorter version.",
    "Fingers crossed.",
    "Revisit it after {span}.",
    "Is any of it unclear?",
    "Enjoy the process.",
    "Should it fail, start again from the top.",
    "That is all there is to it, more or less.",
  ],
  reasons: [
    ", given that every {object} behaves its own way.",
    ", otherwise you pay {cash} later on.",
    ", provided the {object} is {trait}.",
    ", at least for {span}.",
    ", which surprises {count} people a year.",
    ", no matter how {trait} it looks.",
    ", rather than {act} it again.",
    ", and it spares you the {object}.",
    ", if only to learn why.",
    ", a habit worth {span} of effort.",
    ", ideally next to the {object}.",
  ],
  sentences: [
    "Begin with whatever is {trait} and {act} that.",
    "Roughly {count} attempts are normal.",
    "Reserve {cash} for surprises and {span} for doubts.",
    "An {object} in reserve never hurt anyone.",
    "Sooner or later someone will {act} the {object}, plan for it.",
    "Experts call it {trait}, laymen call it luck.",
    "Step back and {act} with fresh eyes.",
    "The manual is {trait} on that point, so experiment.",
    "Prefer the {object} that you can {act} alone.",
    "Half measures look {trait} and last {span}.",
    "Good taste is mostly leaving things out.",
    "Hire help if the {object} exceeds {cash}.",
    "Always {act} twice and decide once.",
    "Habits form in {span}, not overnight.",
    "Mistakes here are {trait} but seldom final.",
    "Mind the gap between {object} and {object2}.",
    "Ask whoever sold you the {object}.",
    "A notebook serves better than memory.",
    "Do {count} of them badly, the next turns out well.",
    "There is dignity in a {trait} solution.",
  ],
  context: [
    "My patience lasts for {span}.",
    "Spare me the jargon.",
    "Anything beyond {cash} is out of reach.",
    "My last attempt ended in a {trait} mess.",
    "It concerns {count} of us.",
    "Consider me an eager novice.",
    "A relative insists it is {trait}, hence my question.",
    "Bullet points would be lovely.",
    "I can only use an {object} and good will.",
    "Explain the logic too, please.",
    "You helped me with an {object} once, so I am back.",
    "Pretend that it is urgent.",
  ],
  smallTalk: [
    "There was thunder all night and the shutters rattled.",
    "My ferry was cancelled, hence the mood.",
    "Fog again, I cannot see the {object}.",
    "I burnt the toast while reading your last answer.",
    "They are resurfacing the lane, everything smells of tar.",
    "A stranger handed me a {trait} {object} and walked off.",
    "The boiler made a noise like a walrus.",
    "Confetti everywhere, carnival has begun.",
    "I ate a whole jar of olives.",
    "Autumn came early to our valley.",
    "The post brought nothing but catalogues.",
    "We sat through a lecture on the {object}, riveting.",
    "Somebody on the ferry praised a {trait} {object} for an hour.",
    "The twins from number four sold me lemonade.",
    "I mislaid my reading glasses, they were on my nose.",
    "The escalator at the mall is out of order, good for my calves.",
    "Forgive the brevity, soup is on the stove.",
    "An {object} was hanging from the lamp post.",
    "That quiz everyone watches was dull.",
    "An owl called for half the night.",
  ],
  bridges: [
    "As an aside:",
    "This has nothing to do with it, but still.",
    "Speaking of other matters:",
    "Pardon the digression.",
    "While I have you:",
    "A word from my life:",
  ],
  thanks: [
    "Quite a story!",
    "Good to know.",
    "{said}? I see.",
    "You tell me: {said}. Duly noted.",
    "Let me first say that I read this: “{said}”.",
    "({said} – remembered.) On to the matter.",
    "My sympathies, or congratulations.",
  ],
  blocks: BLOCKS,
};
