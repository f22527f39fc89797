import type { Unsaid } from "../material.ts";

/** Questions about what no conversation touches. Not to be read by whoever works on a search. */
export const STRANGERS: readonly Unsaid[] = [
  { asked: ["What did the dowser find on my land?", "How much did the dowser charge me?"], never: ["dowser"] },
  { asked: ["Which karate club am I in?", "Who is my karate sensei?"], never: ["karate"] },
  { asked: ["What is the name of my lodger?", "When does my lodger move out?"], never: ["lodger"] },
  { asked: ["Which harp did I rent for the recital?", "How tall is the harp I rented?"], never: ["harp"] },
  {
    asked: ["What did the parachute jump in Nevada cost me?", "With whom did I do my parachute jump?"],
    never: ["parachute"],
  },
  {
    asked: ["How did my appeal against the speeding fine end?", "What was the speeding fine for?"],
    never: ["speeding"],
  },
  { asked: ["What is the blood group of my twin?", "Where does my twin live?"], never: ["my twin"] },
  {
    asked: ["Which cryptocurrency did I buy?", "At what price did I buy my cryptocurrency?"],
    never: ["cryptocurrency"],
  },
  { asked: ["What was my braces adjustment appointment?", "Which orthodontist fits my braces?"], never: ["braces"] },
  {
    asked: ["Which stamp is missing from my Bavarian stamps?", "Where did I buy the Bavarian stamps?"],
    never: ["Bavarian"],
  },
];
