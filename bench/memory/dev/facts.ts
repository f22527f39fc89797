import type { Fact } from "../material.ts";

/** Things said once, in passing. */
export const FACTS: readonly Fact[] = [
  {
    topic: "dogs",
    said: [
      "Our dog {dog}, a {breed}, has just chewed through a second pair of slippers this week.",
      "I have to keep this short because my dog {dog} is scratching at the door, a {breed} wants to go out whatever the weather.",
    ],
    holds: "{breed}",
    asked: ["What breed is {dog}?", "What kind of dog do I have?", "Which breed is the pet that lives with me?"],
    others: [
      "My upstairs neighbour {person} walks a {breed2} called {dog2} past our house at six every morning.",
      "In the novel I am reading the detective owns a {breed3} that solves half of the cases.",
      "My colleague {person2} wants a puppy, most likely a {breed4}.",
    ],
    unsaid: {
      asked: ["How old was {dog} when we adopted him?", "When does {dog} get the rabies booster?"],
      never: ["{dog}", "adopted"],
    },
  },
  {
    topic: "flats",
    said: [
      "We signed for our new apartment on {street} yesterday, so boxes are everywhere.",
      "The movers are bringing our furniture over to the new apartment on {street} and I am exhausted.",
    ],
    holds: "{street}",
    asked: ["On which street is our new apartment?", "Where is our new apartment?", "What street did we move to?"],
    others: [
      "My aunt {person} has lived on {street2} for forty years and refuses to leave.",
      "Two sets of keys for an office on {street3} ended up in our mailbox by mistake.",
      "{person2} moves house again in spring, her third apartment in as many years.",
    ],
    unsaid: { asked: ["What is the door code of our place on {street}?"], never: ["{street}", "code"] },
  },
  {
    topic: "work",
    said: [
      "I started as a {role} at {firm} and my head is spinning from all the onboarding.",
      "First week at {firm} as their new {role}, so I am a bit slow to answer mail.",
    ],
    holds: "{firm}",
    asked: ["Who is my employer?", "At which firm did I start as a {role}?", "Where did I get hired as a {role}?"],
    others: [
      "My brother-in-law interviewed with {firm2} and never heard back from them.",
      "{person} quit her post as a {role2} at {firm3} to sail around the world.",
      "I read a case study about {firm4} and how the company lost half of its customers.",
    ],
    unsaid: { asked: ["What is my staff number at {firm}?"], never: ["{firm}", "staff number"] },
  },
  {
    topic: "health",
    said: [
      "I had to send the starter back, as I am allergic to {allergen}.",
      "Whatever we plan must work without {allergen}; with my allergy the throat swells up.",
    ],
    holds: "{allergen}",
    asked: [
      "What am I allergic to?",
      "Which allergy do I have to tell a host about?",
      "What must never be on my plate or in my treatment?",
    ],
    others: [
      "My flatmate's little boy turned out to be allergic to {allergen2}, poor thing.",
      "A guest of {person}'s had a bad reaction to {allergen3} at the picnic.",
      "The school sent a leaflet about {allergen4} and what to do in an emergency.",
    ],
    unsaid: { asked: ["What blood type do I have?"], never: ["blood type"] },
  },
  {
    topic: "family",
    said: [
      "My sister {person} works nights as a {trade}, so calling her is a puzzle.",
      "{person}, my sister, is finally a certified {trade} and we are all proud of her.",
    ],
    holds: "{trade}",
    asked: [
      "What does my sister do for a living?",
      "What is {person}'s profession?",
      "Which job does my sibling have?",
    ],
    others: [
      "The couple next door, a {trade2} and a teacher, asked us over for drinks.",
      "My cousin {person2} trained as {cousinjob} before he had children.",
      "{person3}'s sister is a {trade3} and swears by early nights.",
    ],
    unsaid: {
      asked: ["What does my half-brother do for work?", "In which town does my half-brother live?"],
      never: ["half-brother"],
    },
  },
  {
    topic: "cars",
    said: [
      "The garage says my car, a {car}, needs a new clutch, which is just great.",
      "I spilled coffee all over the seats of my car this morning, and the {car} smells of it.",
    ],
    holds: "{car}",
    asked: ["What car do I drive?", "Which make and model is my car?", "What do I have parked outside?"],
    others: [
      "{person} is selling a {car2} with very few miles on it.",
      "A rental agency tried to give us a {car3} instead of the van that we had booked.",
      "My boss drives a {car4} and washes it every single Sunday.",
    ],
    unsaid: { asked: ["What is the licence plate of my {car}?"], never: ["{car}", "plate"] },
  },
  {
    topic: "photos",
    said: [
      "I dropped my camera on the rocks and the lens mount of the {camera} is bent.",
      "The shutter of my camera, a {camera}, sticks when it is cold outside.",
    ],
    holds: "{camera}",
    asked: ["Which camera do I own?", "What model of camera was it that I use?", "What do I take my pictures with?"],
    others: [
      "{person} lent a {camera2} to the school for their film club.",
      "The wedding photographer carried two bodies, a {camera3} among them.",
      "There is a review of the {camera4} in the magazine at the dentist's.",
    ],
    unsaid: { asked: ["How much did I pay for my drone?", "Which drone do I fly?"], never: ["drone"] },
  },
  {
    topic: "study",
    said: [
      "Back when I studied {subject} at the university of {college} we had to do all that by hand.",
      "I still have nightmares about my university finals in {subject}, and {college} was a lovely town to study in otherwise.",
    ],
    holds: "{subject}",
    asked: [
      "What did I study at university?",
      "Which subject did I study in {college}?",
      "In which field did I graduate?",
    ],
    others: [
      "{person}'s daughter has applied to read {subject2} in {college2}.",
      "There was a free lecture on {subject3} at the library, quite good.",
      "The new intern has a degree in {subject4} and is bored by spreadsheets.",
    ],
    unsaid: { asked: ["What was the title of my thesis at {college}?"], never: ["{college}", "thesis"] },
  },
  {
    topic: "family",
    said: [
      "For my dad's seventieth birthday I settled on {gift}, wrapped and hidden in the attic.",
      "I managed to find {gift} as a birthday present for my father, he turns seventy soon.",
    ],
    holds: "{gift}",
    asked: [
      "What did I get my dad for his birthday?",
      "What gift did I choose for my father?",
      "What is Dad going to unwrap when he turns seventy?",
    ],
    others: [
      "{person} gave her boss {gift2} on his birthday, which felt like too much.",
      "The office is collecting money to buy {person2} {gift3} for his retirement.",
      "My godfather once won {gift4} in a raffle.",
    ],
  },
  {
    topic: "money",
    said: [
      "I opened an account with {brand} since my old bank closed its branch.",
      "Everything goes through {brand} now, they were the only bank with a branch near us.",
    ],
    holds: "{brand}",
    asked: ["Which bank am I with?", "Where do I keep my account?", "Who handles my money since the branch shut?"],
    others: [
      "{person} had her card from {brand2} cloned on holiday.",
      "We sat on the river bank near the old {brand3} factory and watched the rowers.",
      "The advert for {brand4} with the dancing goat is everywhere.",
    ],
    unsaid: { asked: ["What is the overdraft limit of my account with {brand}?"], never: ["{brand}", "overdraft"] },
  },
  {
    topic: "camping",
    said: [
      "Last summer we went camping in {country} with two tents and far too much rice.",
      "That reminds me of our camping weeks in {country}, when the bears got our rice.",
    ],
    holds: "{country}",
    asked: [
      "Which country did we go camping in?",
      "Where was our camping holiday?",
      "Where did we lose our food to animals or carry too much of it?",
    ],
    others: [
      "{person} is from {country2} and cooks for the whole street on holidays.",
      "My podcast had an episode on the railways of {country3}.",
      "The tent poles were made in {country4}, says the label.",
    ],
  },
  {
    topic: "coffee",
    said: [
      "The crema is fine, but my beans come from {person}'s shop on the corner and they are stale.",
      "I buy my coffee from {person}, who has the little roastery on the corner, and this bag was stale.",
    ],
    holds: "{person}",
    asked: ["Who do I buy my coffee beans from?", "Whose roastery do I go to?", "Who sold me the stale bag?"],
    others: [
      "{person2} drinks nothing but tea and judges all of us.",
      "The stand in the lobby sells {roast} for the price of a lunch.",
      "{person3} spilled beans, real ones, all over the shop floor.",
    ],
  },
  {
    topic: "spanish",
    said: [
      "My evening class in {tongue} got a new teacher, {person}, who only speaks in proverbs.",
      "{person} teaches our {tongue} course and makes us sing.",
    ],
    holds: "{person}",
    asked: [
      "Who teaches my language class?",
      "What is the name of my {tongue} instructor?",
      "Whose lessons do I attend in the evening?",
    ],
    others: [
      "{person2} grew up speaking {tongue2} with her nanny.",
      "Our teacher at primary school, Mr {author}, could throw chalk around corners.",
      "The subtitles were in {tongue3} only, so we guessed.",
    ],
    unsaid: { asked: ["Who gives me swimming lessons?", "When do my swimming lessons start?"], never: ["swimming"] },
  },
  {
    topic: "flats",
    said: [
      "I painted the bedroom {colour} over the weekend and my arms hurt.",
      "We ended up with {colour} for the walls of the bedroom, after five sample pots.",
    ],
    holds: "{colour}",
    asked: [
      "What color is my bedroom?",
      "What paint did we choose?",
      "Which shade did I put on the walls where I sleep?",
    ],
    others: [
      "{person} dyed her hair {colour2} for a bet.",
      "The front door of the house opposite is {colour3}, you cannot miss it.",
      "They offered the sofa in {colour4} only, so I left it.",
    ],
    unsaid: { asked: ["What colour are the tiles in our bathroom?"], never: ["bathroom", "tiles"] },
  },
  {
    topic: "books",
    said: [
      "I fell asleep over {book} again, it is this month's choice of our reading circle.",
      "For the reading circle I have to finish {book} by the weekend.",
    ],
    holds: "{book}",
    asked: [
      "Which book is my reading circle on?",
      "Which book did the reading circle choose?",
      "What do I have to get through before the circle meets?",
    ],
    others: [
      "{person} is writing a play based on {book2}.",
      "The airport shop had only {book3} and cookery books.",
      "A film of {book4} is being shot two streets from here.",
    ],
  },
  {
    topic: "phones",
    said: [
      "My laptop died in the middle of a call, the screen of the thing just went black; so much for a {laptop}.",
      "I am typing this on my phone as the screen of my laptop, a {laptop}, has gone black.",
    ],
    holds: "{laptop}",
    asked: [
      "Which laptop do I have?",
      "Which model is my laptop with the black screen?",
      "What machine was it whose display failed?",
    ],
    others: [
      "{person}'s company hands out a {laptop2} to every new starter.",
      "Somebody left a {laptop3} on the train and it had no password.",
      "The black screen in the meeting room is a mystery to all of us.",
    ],
    unsaid: { asked: ["Which smartwatch do I wear?", "What did my smartwatch cost?"], never: ["smartwatch"] },
  },
];
