import type { Change } from "../material.ts";

/** What is told again later, with another value. Not to be read by whoever works on a search. */
export const CHANGES: readonly Change[] = [
  {
    topic: "swimming",
    values: "laps",
    first: [
      "I manage {value} in the pool before my arms turn to rubber.",
      "In the pool I got to {value}, then I had to be fished out.",
    ],
    later: ["{value} in the pool without a pause!", "The pool saw me do {value} this week."],
    asked: [
      "How many laps do I manage in the pool?",
      "What is my count of laps in the pool?",
      "What distance can I swim at a stretch?",
    ],
    former: [
      "How many laps did I do in the pool to begin with?",
      "In the early days, what number of laps could I manage?",
    ],
    others: ["{name} does {laps} on a unicycle around the square.", "The cat laps up everything that is left."],
  },
  {
    topic: "house",
    values: "mortgage",
    first: [
      "Our mortgage instalment is {value}, paid on the third.",
      "The instalment on the mortgage comes to {value}.",
    ],
    later: [
      "They recalculated the mortgage, the instalment is {value}.",
      "An instalment of {value} is what the mortgage takes since the review.",
    ],
    asked: [
      "How high is our mortgage instalment?",
      "What do we hand over for the mortgage?",
      "What does home ownership cost us, in one figure?",
    ],
    former: [
      "How high was the mortgage instalment prior to the review?",
      "What instalment did the mortgage have originally?",
    ],
    others: [
      "{name} paid off hers in one go with a lottery ticket.",
      "The last instalment of the saga ends on a pier.",
    ],
  },
  {
    topic: "beekeeping",
    values: "hive",
    first: ["I look after {value} behind the chapel.", "My apiary consists of {value}, all calm."],
    later: ["The apiary has grown or shrunk again, {value} it is.", "{value} are in my apiary after the swarm."],
    asked: [
      "How many hives are in my apiary?",
      "Of how many hives does my apiary consist?",
      "What number of bee colonies do I keep?",
    ],
    former: ["How many hives did I look after before the swarm?", "My apiary at the outset had how many hives?"],
    others: ["{name} was stung at a picnic and swelled up.", "The town hall is a hive of rumours."],
  },
  {
    topic: "chess",
    values: "rating",
    first: ["My chess rating is {value}, so be gentle.", "The federation gave me a rating of {value}."],
    later: [
      "A rating of {value}, that is what the last tournament did.",
      "My rating moved to {value} over the holidays.",
    ],
    asked: [
      "What is my chess rating?",
      "Which rating do I have with the federation?",
      "How strong am I on the board, in figures?",
    ],
    former: ["What rating did the federation give me initially?", "My rating before that tournament was what?"],
    others: ["The hotel has a rating of four stars and no towels.", "{name} rates every sandwich in a notebook."],
  },
  {
    topic: "choir",
    values: "belt",
    first: ["For piano I am preparing {value}, scales and all.", "My piano exam is {value}, in a cold hall."],
    later: ["Next up in piano is {value}, my exam pieces are chosen.", "The piano examiner let me go on to {value}."],
    asked: ["What grade is my piano exam?", "Which piano grade am I preparing?", "How far did I climb at the keys?"],
    former: ["Which piano grade did I prepare in the beginning?", "The piano exam I started out with was which grade?"],
    others: ["The piano fell off the van in front of {name}.", "Roads of this grade ice up first."],
  },
  {
    topic: "nursing",
    values: "slot",
    first: [
      "Physio for my shoulder is at {value}, right after handover.",
      "I was offered physio at {value} and took it.",
    ],
    later: ["Physio was moved to {value}.", "The physio practice can only do {value} from here on."],
    asked: [
      "At what time is my physio?",
      "When do I have to be at physio?",
      "What is the hour of my shoulder treatment?",
    ],
    former: ["At what time was physio before it got moved?", "The physio slot I took in the first place was when?"],
    others: ["{name}'s parrot screams daily at {slot}.", "The slot machine swallowed my ticket."],
  },
  {
    topic: "nutrition",
    values: "weight",
    first: ["The scales say {value}, shoes off.", "I weigh {value} according to the scales at the pharmacy."],
    later: ["{value}, so the scales tell me after the cure.", "New reading on the scales: {value}."],
    asked: [
      "How much do I weigh on the scales?",
      "What do the scales say about me?",
      "How many kilos am I carrying around?",
    ],
    former: ["What did the scales say prior to the cure?", "How much did I weigh at the outset?"],
    others: ["{name} weighs parcels for a living.", "The carp lost its scales in the sink."],
  },
  {
    topic: "knitting",
    values: "rows",
    first: ["My heirloom shawl has got to {value}, do not ask.", "I stopped at {value} of the shawl, cross-eyed."],
    later: ["The shawl is at {value}, despite the moths.", "Progress: {value} on the shawl."],
    asked: ["At which row of the shawl am I?", "How far along is the shawl?", "What point has my heirloom reached?"],
    former: [
      "At which row of the shawl was I when I got cross-eyed?",
      "The shawl, where had it got to the first time I spoke of it?",
    ],
    others: ["{name} rows across the estuary to work.", "A shawl was found in the vestry."],
  },
  {
    topic: "teaching",
    values: "name",
    first: ["{value} is head of our school and hates chalk.", "The head of our school, {value}, hates chalk."],
    later: ["Our school has got {value} as head since the vote.", "{value} was voted head of our school."],
    asked: [
      "Who is head of our school?",
      "Which person leads our school as head?",
      "Whom would I see about a complaint at the top of the staff room?",
    ],
    former: ["Who was head of our school prior to the vote?", "The head who hates chalk, who was it?"],
    others: ["{name} hit his head on the church bell.", "A school of dolphins followed the ferry."],
  },
];
