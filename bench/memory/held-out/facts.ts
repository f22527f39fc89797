import type { Fact } from "../material.ts";

/** Things said once, in passing. Not to be read by whoever works on a search. */
export const FACTS: readonly Fact[] = [
  {
    topic: "birds",
    said: [
      "You would not believe the noise: {parrot} the parrot, a {species} with opinions, is copying the doorbell.",
      "{parrot} has learnt to swear, which people find cute in a {species} and less so in a parrot owner.",
    ],
    holds: "{species}",
    asked: [
      "What species is {parrot}?",
      "{parrot} is what sort of parrot?",
      "What type of feathered companion lives in my household?",
    ],
    others: [
      "{name} rescued a {species2} from a chimney.",
      "A pirate with a {species3} on his arm came to the fancy-dress ball, that was {name2}.",
      "They parrot whatever the minister says on the radio.",
    ],
    unsaid: {
      asked: ["Which breeder sold me {parrot}?", "Who was the breeder {parrot} came from?"],
      never: ["{parrot}", "breeder"],
    },
  },
  {
    topic: "house",
    said: [
      "Half our belongings still sit in crates since we bought the cottage in {village}.",
      "Greetings from {village}, the cottage is ours now and the roof leaks.",
    ],
    holds: "{village}",
    asked: [
      "In what village did we buy the cottage?",
      "Whereabouts is the cottage that is ours now?",
      "Name the settlement I have relocated to.",
    ],
    others: [
      "{name} inherited a barn in {village2} and has no clue what to do with it.",
      "There was a documentary about {village3} and its flood.",
      "Cottage cheese is all that the shop had left.",
    ],
    unsaid: { asked: ["When was the cottage in {village} built?"], never: ["{village}", "built"] },
  },
  {
    topic: "nursing",
    said: [
      "My rota is chaos, I was transferred to {ward} as a night nurse.",
      "Since my transfer I do nights on {ward}, nursing does that to your sleep.",
    ],
    holds: "{ward}",
    asked: [
      "To which part of the hospital was I transferred?",
      "Where do I work nights as a nurse?",
      "What is my place of duty?",
    ],
    others: [
      "{name} had visitors all day on {ward2} after his fall.",
      "A charity run collects for {ward3}.",
      "The transfer of the footballer fell through at noon.",
    ],
    unsaid: { asked: ["What is the name of the matron on {ward}?"], never: ["{ward}", "matron"] },
  },
  {
    topic: "nutrition",
    said: [
      "Leave out {food} for me please, my intolerance gave me cramps all night.",
      "I learnt that I have an intolerance to {food}, after years of cramps.",
    ],
    holds: "{food}",
    asked: [
      "Which intolerance gives me cramps?",
      "What food do I have an intolerance to?",
      "Which ingredient is harmful to my gut?",
    ],
    others: [
      "{name} grows {food2} in a bathtub.",
      "The judge spoke of intolerance in the town and how it spreads.",
      "On the plane they served {food3} three times in a row.",
    ],
    unsaid: { asked: ["What was my cholesterol at the check-up?"], never: ["cholesterol"] },
  },
  {
    topic: "genealogy",
    said: [
      "My brother {name} has qualified as a {calling}, after eleven years of trying.",
      "{name}, the brother I told nobody about, earns his bread as a {calling}.",
    ],
    holds: "{calling}",
    asked: [
      "As what did my brother qualify, or earn his bread?",
      "What is my brother {name} by trade?",
      "How does my male sibling make ends meet?",
    ],
    others: [
      "{name2} married a {calling2} from overseas.",
      "The brothers at the abbey brew a stout, one of them was a {calling3}.",
      "According to the parish register our ancestor was a {calling4}.",
    ],
    unsaid: { asked: ["What is my stepmother's maiden name?", "Where was my stepmother born?"], never: ["stepmother"] },
  },
  {
    topic: "motorbikes",
    said: [
      "The {van} that I ride or drive to the shore failed its inspection over a lamp.",
      "Inspection day: my {van} passed, only the horn was weak.",
    ],
    holds: "{van}",
    asked: [
      "What vehicle of mine went to inspection?",
      "Which of my vehicles has a weak horn or a lamp that failed inspection?",
      "Tell me what I get around in.",
    ],
    others: [
      "{name} crashed a {van2} into the bakery, nobody was hurt.",
      "At the kerb there was a {van3} full of balloons.",
      "A tax inspection at {name2}'s firm turned up nothing.",
    ],
    unsaid: { asked: ["How many horsepower has my {van}?"], never: ["{van}", "horsepower"] },
  },
  {
    topic: "astronomy",
    said: [
      "The mirror of my telescope, a {telescope}, has dew on it again.",
      "I left my telescope on the balcony, so there is pollen all over the {telescope}.",
    ],
    holds: "{telescope}",
    asked: [
      "What type is my telescope?",
      "Which telescope do I watch the sky with?",
      "What optical instrument did I leave outside, or had dew?",
    ],
    others: [
      "{name}'s school was given a {telescope2} by a widow.",
      "The observatory auctions off a {telescope3}, starting at a thousand.",
      "Sales figures telescope into one line if you fold the sheet.",
    ],
    unsaid: { asked: ["Which eyepiece goes with my {telescope}?"], never: ["{telescope}", "eyepiece"] },
  },
  {
    topic: "teaching",
    said: [
      "I did my apprenticeship in {gradecourse}, at {academy}, and can still smell the workshop.",
      "{academy} is where I was an apprentice, {gradecourse} of all trades.",
    ],
    holds: "{gradecourse}",
    asked: [
      "In what trade was I an apprentice?",
      "What was the apprenticeship at {academy} in?",
      "Which craft did I get my training in?",
    ],
    others: [
      "{name} dropped out of {academy2} after one term.",
      "Evening school now has {gradecourse2}, with a waiting list.",
      "The sorcerer's apprentice was performed by ten-year-olds.",
    ],
    unsaid: { asked: ["Who was my tutor at {academy}?"], never: ["{academy}", "tutor"] },
  },
  {
    topic: "genealogy",
    said: [
      "Grandmother turns ninety, and {present} for her is hidden under my bed.",
      "I hope that {present} is right for my grandmother's ninetieth, it was the last one in the shop.",
    ],
    holds: "{present}",
    asked: [
      "What is my grandmother getting for her ninetieth?",
      "What did I find for my grandmother turning ninety?",
      "Which surprise awaits Gran?",
    ],
    others: [
      "{name} gave the postman {present2}.",
      "My grandmother's village had one phone, she says.",
      "There is {present3} in the window of the pawn shop.",
    ],
  },
  {
    topic: "law",
    said: [
      "After the burst pipe I filed a claim with {insurer}, and they want receipts for everything.",
      "{insurer} insures our household and has been dragging out the claim for the burst pipe.",
    ],
    holds: "{insurer}",
    asked: [
      "Who is handling the claim for the burst pipe?",
      "With which insurer did I file the claim?",
      "What firm covers our household?",
    ],
    others: [
      "{name} sells policies for {insurer2} door to door.",
      "The queen of pipe organs stands in a cathedral up north.",
      "{insurer3} sponsors the marathon of the next town.",
    ],
    unsaid: { asked: ["What is my policy number at {insurer}?"], never: ["{insurer}", "policy number"] },
  },
  {
    topic: "sailing",
    said: [
      "The summer we chartered a boat off {coast} we ran aground twice.",
      "Ever since we ran aground off {coast}, with a chartered boat, I check the charts twice.",
    ],
    holds: "{coast}",
    asked: [
      "Where did we run aground?",
      "Off what shore did we charter a boat?",
      "In which waters was the holiday with the mishap?",
    ],
    others: [
      "{name} emigrated to {coast2} for the light.",
      "Negotiations have run aground, says the union.",
      "The honey on the shelf comes from {coast3}.",
    ],
  },
  {
    topic: "tea",
    said: [
      "My loose leaf comes from {name}, who trades out of a narrowboat on the canal.",
      "On the canal there is a narrowboat where {name} sells me loose leaf.",
    ],
    holds: "{name}",
    asked: [
      "Who sells me loose leaf?",
      "Whose narrowboat do I get my loose leaf from?",
      "What is my tea merchant called?",
    ],
    others: [
      "{name2} drinks only hot water and says it cures all.",
      "A loose leaf fell out of the hymn book.",
      "{name3} steers a narrowboat for tourists in August.",
    ],
  },
  {
    topic: "choir",
    said: [
      "We rehearse {song} under {name}, the conductor with the loudest shoes.",
      "{name} is our new conductor and has put {song} on the programme.",
    ],
    holds: "{name}",
    asked: [
      "Who is the conductor of my choir?",
      "Under which conductor do we rehearse?",
      "Who waves the baton in front of us singers?",
    ],
    others: [
      "A conductor on the tram, {name2}, sang all the stops.",
      "{name3} heard {song2} at a funeral and wept.",
      "Copper is a better conductor than iron, my son explains.",
    ],
    unsaid: { asked: ["Who gives me violin tuition?", "How much is my violin tuition?"], never: ["violin"] },
  },
  {
    topic: "woodwork",
    said: [
      "I chose {wood} for the new kitchen cupboards, sanding them takes forever.",
      "The cupboards for our kitchen will be {wood}, oiled and without handles.",
    ],
    holds: "{wood}",
    asked: [
      "Of what are our kitchen cupboards made?",
      "Which timber did I choose for the cupboards?",
      "What material did I go for where we cook?",
    ],
    others: [
      "{name} carved a bear out of {wood2} with a chainsaw.",
      "Old mother Hubbard's cupboard was bare, my niece recites.",
      "They felled the {wood3} in front of the school.",
    ],
    unsaid: { asked: ["What stone is the worktop in our kitchen?"], never: ["worktop"] },
  },
  {
    topic: "theatre",
    said: [
      "Film night at the parish hall: {film} is on and I run the projector.",
      "I carry reels tonight, our film night shows {film}.",
    ],
    holds: "{film}",
    asked: [
      "What is showing at our film night?",
      "Which movie was on at the parish hall film night?",
      "What did the audience watch when I did the projecting?",
    ],
    others: [
      "{name} walked out of {film2} and demanded a refund.",
      "A thin film of ice covered the pond.",
      "The score of {film3} was written by a dentist.",
    ],
  },
  {
    topic: "spreadsheets",
    said: [
      "My {printer} froze in the middle of an update, what a brick.",
      "Halfway through an update the {printer} of mine froze for good.",
    ],
    holds: "{printer}",
    asked: [
      "Which device of mine froze during an update?",
      "What froze on me halfway through?",
      "Name the piece of electronics that gave up on me.",
    ],
    others: [
      "{name} won a {printer2} in a crossword contest.",
      "The lake froze over and the whole town skated.",
      "There is a {printer3} in the lost property office.",
    ],
    unsaid: { asked: ["What is the model of my router at the cabin?"], never: ["cabin", "router"] },
  },
];
