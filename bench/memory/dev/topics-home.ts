import type { Topic } from "../material.ts";

export const HOME_TOPICS: readonly Topic[] = [
  {
    name: "dogs",
    things:
      "leash, crate, kennel, chew toy, puppy class, food bowl, recall whistle, harness, vet visit, microchip, grooming brush, treat pouch".split(
        ", ",
      ),
    asks: [
      "How do I get a dog used to a {thing} without a fight?",
      "What should I look for when I choose a {thing} for a {adj} dog?",
      "Can you explain how often the {thing} needs attention?",
      "Please compare two ways of training with a {thing}.",
      "Is a {thing} worth {amount}, or is it money for nothing?",
    ],
    tips: [
      "Let the dog sniff the {thing} before you use it for the first time.",
      "Reward every {adj} step, and put the {thing} away before it gets boring.",
      "A vet will tell you whether the {thing} suits the breed and its age.",
      "Puppies tire of the {thing} after about {time}.",
      "Never scold near the {thing}, because animals remember the place.",
      "Write down what your pet eats and how it reacts to the {thing}.",
      "Barking at the {thing} is mostly fear, so keep your distance and your voice low.",
      "Older dogs accept a {thing} faster than people believe.",
    ],
  },
  {
    name: "flats",
    things:
      "lease, deposit, radiator, floor plan, tenant guide, mould report, removal van, paint roller, wall plug, mailbox, boiler, curtain rail".split(
        ", ",
      ),
    asks: [
      "We have trouble with the {thing} in our apartment. What are our rights?",
      "How would you plan a room around a {adj} {thing}?",
      "Can you give me a checklist for the {thing} before we move?",
      "Draft a message to the landlord about the {thing}, friendly but clear.",
      "What does a {thing} usually cost, is {amount} too much?",
    ],
    tips: [
      "Take photos of the {thing} on the day you get the keys.",
      "Ask the landlord to confirm the {thing} in writing within {time}.",
      "Measure the hallway twice, since a {thing} that does not fit is a {adj} surprise.",
      "Light colours on the wall make a small room with a {thing} look larger.",
      "Tenants may deduct the {thing} from the rent only after a formal notice.",
      "Label every box by room, and keep the {thing} in the last one.",
      "A neighbour may know who repaired the {thing} last time.",
      "Compare the monthly costs with and without the {thing}.",
    ],
  },
  {
    name: "baking",
    things:
      "sourdough starter, proving basket, pastry cream, pie crust, yeast dough, oven stone, sponge base, cake tin, glaze, batter, rolling pin, cooling rack".split(
        ", ",
      ),
    asks: [
      "My {thing} keeps failing, what am I doing wrong?",
      "Could you write out a recipe that uses a {adj} {thing}?",
      "How long does a {thing} keep, and where?",
      "What is the difference between a {adj} {thing} and a store-bought one?",
      "I want to bake for {number} people, how do I scale the {thing}?",
    ],
    tips: [
      "Let the {thing} rest for {time} before you touch it again.",
      "Weigh the flour, as cups differ by a fifth and the {thing} will tell.",
      "The oven should be hot well before the {thing} goes in.",
      "Butter at room temperature makes a {adj} {thing}.",
      "If the {thing} tears, it wants water and patience.",
      "Sugar draws moisture, so add it to the {thing} last.",
      "A pinch of salt brings out the taste of any {thing}.",
      "Bread is ready when it sounds hollow, whatever the {thing} looks like.",
    ],
  },
  {
    name: "family",
    things:
      "birthday party, family tree, school play, bedtime story, photo album, reunion, baby shower, sleepover, allowance, holiday plan, family dinner, guest list".split(
        ", ",
      ),
    asks: [
      "We are planning a {thing} for {number} relatives, how do we keep it {adj}?",
      "How do I tell my relatives that the {thing} is off?",
      "Write a short speech for the {thing}, not too sweet.",
      "What games suit a {thing} with children and grandparents?",
      "Is there a polite way to skip a {thing}?",
    ],
    tips: [
      "Agree on the date of the {thing} before you agree on anything else.",
      "Children like to have one task of their own at a {thing}.",
      "Sisters and brothers argue about a {thing} more than about money.",
      "Send the invitation for the {thing} at least {time} ahead.",
      "A {adj} present for a parent costs thought and not money.",
      "Put the oldest guest near the door and the youngest near the {noun}.",
      "Someone should take pictures of the {thing}, someone else should clean up.",
      "Say thank you for the {thing} within a week.",
    ],
  },
  {
    name: "weddings",
    things:
      "seating plan, venue, toast, bouquet, dress code, caterer, gift table, ceremony, string quartet, invitation card, dance floor, honeymoon fund".split(
        ", ",
      ),
    asks: [
      "What should I know about the {thing} for a wedding in the country?",
      "How do couples usually split the cost of the {thing}?",
      "Suggest a {adj} theme that goes with the {thing}.",
      "I was asked to take care of the {thing}, where do I start?",
      "Which questions should I ask about the {thing} before we sign?",
    ],
    tips: [
      "Book the {thing} a year ahead if it is in June.",
      "Guests remember the food and the music, and rarely the {thing}.",
      "Keep a tenth of the budget for what the {thing} will cost in the end.",
      "The couple decides about the {thing}, and parents may suggest.",
      "A {adj} outfit that fits beats an expensive one.",
      "Wine runs out before the {thing} does, so plan half a bottle a head.",
      "Have one person with all the phone numbers near the {thing}.",
      "Rain is likely enough to plan the {thing} for it.",
    ],
  },
  {
    name: "coffee",
    things:
      "grinder, filter paper, pour-over cone, milk jug, water kettle, portafilter, tamper, cold brew jar, moka pot, tasting sheet, scale, storage tin".split(
        ", ",
      ),
    asks: [
      "How do I clean a {thing} properly?",
      "What grind goes with a {thing}, and why is mine {adj}?",
      "Is a {thing} for {amount} any better than a simple one?",
      "Explain the science behind the {thing} in plain words.",
      "How much caffeine is in a cup made with a {thing}?",
    ],
    tips: [
      "Fresh beans degas for {time}, so do not rush them into the {thing}.",
      "Rinse the {thing} with hot water to warm it.",
      "A coarse grind gives a {adj} cup with a {thing}.",
      "Sour means too short, bitter means too long, whatever the {thing}.",
      "Hard water ruins both the taste and the {thing}.",
      "Roasters print the date on the bag for a reason.",
      "Store beans dark and dry, and never in the fridge beside the {thing}.",
      "Change one thing at a time and note what the {thing} does.",
    ],
  },
  {
    name: "health",
    things:
      "sleep diary, blood test, vitamin D, posture check, hearing test, flu shot, skin cream, allergy card, referral, waiting list, rest day, insurance form".split(
        ", ",
      ),
    asks: [
      "What questions should I ask about a {thing} at the doctor's?",
      "How reliable is a {thing}, honestly?",
      "Please explain the result of a {adj} {thing} in simple words.",
      "How do I prepare for a {thing}?",
      "Is it normal to wait {time} for a {thing}?",
    ],
    tips: [
      "I am not a doctor, so treat the {thing} as a reason to ask one.",
      "Write down your symptoms for {time} before the {thing}.",
      "Take a list of all tablets and doses with you.",
      "Allergies can start at any age, and a {thing} may miss them.",
      "Eat something {adj} an hour before the {thing}, unless told otherwise.",
      "Pressure behind the eyes has many causes, most of them harmless.",
      "Ask for a copy of the {thing} for your own folder.",
      "Clinics give appointments faster in the morning.",
    ],
  },
];
