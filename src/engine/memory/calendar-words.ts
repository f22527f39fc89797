/** English words of times, for what is asked and for what is told. */
export const NUMBER_WORDS: readonly string[] = [
  "zero",
  "one",
  "two",
  "three",
  "four",
  "five",
  "six",
  "seven",
  "eight",
  "nine",
  "ten",
  "eleven",
  "twelve",
];

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/** 0 to 11, by the name or its beginning; -1 where it is none. */
export const monthIndex = (name = ""): number => MONTHS.indexOf(name.slice(0, 3).toLowerCase());
