import type { Topic } from "../material.ts";

export const WORK_TOPICS: readonly Topic[] = [
  {
    name: "work",
    things:
      "status report, stand-up, performance review, project plan, onboarding guide, cover letter, slide deck, meeting agenda, job posting, handover note, team charter, notice period".split(
        ", ",
      ),
    asks: [
      "Help me improve this {thing}, it is too {adj}.",
      "How do I tell my team that the {thing} is late?",
      "What belongs in a {thing} for a new colleague?",
      "Can you make an outline for a {thing} of {number} pages?",
      "How should I answer when they ask about the {thing} in an interview?",
    ],
    tips: [
      "Begin the {thing} with what you want people to decide.",
      "A manager reads the first lines of a {thing} and the last.",
      "Cut the {thing} by half, then let it lie for {time}.",
      "Ask one colleague to read the {thing} who was not in the meeting.",
      "Numbers in a {thing} need a date and a source.",
      "Companies differ, but a {adj} {thing} is welcome everywhere.",
      "Name who does what by when, and put it on top of the {thing}.",
      "Salary belongs at the end of the talk and not in the {thing}.",
    ],
  },
  {
    name: "code",
    things:
      "unit test, database index, config file, retry loop, cache, log line, type check, queue worker, migration, regular expression, build script, feature flag".split(
        ", ",
      ),
    asks: [
      "My {thing} works on my machine and fails in the pipeline. Any ideas?",
      "Refactor this so that the {thing} is easier to read.",
      "Explain what a {adj} {thing} is for, with an example.",
      "How do I measure whether the {thing} slows us down?",
      "Which is better here, a {thing} or a plain function?",
    ],
    tips: [
      "Reproduce it first with the smallest {thing} that still fails.",
      "Log what goes into the {thing} and what comes out.",
      "A {thing} without an owner becomes {adj} within {time}.",
      "Put a limit on the {thing}, since nothing else will.",
      "Name the function after what it returns and not after the {thing}.",
      "Python reads the file line by line, so the {thing} never holds all rows.",
      "Close the connection in the same place where the {thing} opened it.",
      "Write the export to a temporary name and rename it when the {thing} is done.",
    ],
  },
  {
    name: "study",
    things:
      "reading list, lab report, bibliography, lecture, flash card, study group, exam timetable, scholarship form, seminar paper, essay plan, library loan, campus map".split(
        ", ",
      ),
    asks: [
      "How do I organise a {thing} so that I keep to it?",
      "Summarise how a good {thing} is structured.",
      "What makes a {thing} {adj} in the eyes of a professor?",
      "How early should one begin with the {thing}?",
      "Give me {number} practice questions for the {thing}.",
    ],
    tips: [
      "Students who explain the {thing} aloud remember twice as much.",
      "Start the {thing} with the question and not with the history.",
      "University libraries lend the {thing} for {time}.",
      "A {adj} summary beats ten highlighted pages.",
      "Plan breaks into the {thing}, they are not wasted.",
      "Ask for feedback on the {thing} while it can still change.",
      "Footnotes in a {thing} show that you have read, so read.",
      "Old exams tell more about the {thing} than any tutor.",
    ],
  },
  {
    name: "money",
    things:
      "savings plan, index fund, credit card, tax return, emergency fund, standing order, budget sheet, exchange rate, mortgage quote, receipt box, interest rate, debt list".split(
        ", ",
      ),
    asks: [
      "How does a {thing} work if I have {amount} a month?",
      "Is a {adj} {thing} a good idea at the moment?",
      "Make a table that shows the {thing} over {number} years.",
      "What are the hidden costs of a {thing}?",
      "Explain the {thing} to me as if I were fifteen.",
    ],
    tips: [
      "Put the {thing} on the day after payday.",
      "Banks earn most on a {thing} that nobody looks at.",
      "Keep {amount} where you can reach it within a day.",
      "A {adj} {thing} lowers the risk and a little of the gain.",
      "Compare the {thing} with what inflation takes.",
      "Write every expense down for {time}, and the {thing} plans itself.",
      "Do not borrow for what is used up before the {thing} is paid.",
      "Ask what the {thing} costs in total and not per month.",
    ],
  },
  {
    name: "phones",
    things:
      "battery, screen protector, backup, password manager, router, charger, docking station, app store, storage plan, keyboard, headset, software update".split(
        ", ",
      ),
    asks: [
      "The {thing} has been {adj} since yesterday, what can I try?",
      "Which settings save the {thing} on an older phone?",
      "How do I move my data when the {thing} is full?",
      "Is a {thing} for {amount} safe to use?",
      "Explain step by step how to reset the {thing}.",
    ],
    tips: [
      "Turn the device off for {time} and try the {thing} again.",
      "Check whether the {thing} gets warm, that is a {adj} sign.",
      "Make a copy of everything before the {thing} is opened.",
      "A laptop that goes dark may only have lost its {thing}.",
      "Delete what you have not opened for a year and the {thing} recovers.",
      "The serial number is under the {thing} or in the settings.",
      "Public networks and a {thing} do not go together.",
      "Repair costs more than a new {thing} in about half of all cases.",
    ],
  },
  {
    name: "spanish",
    things:
      "vocabulary list, past tense, subjunctive, listening exercise, tandem partner, accent mark, grammar book, dictation, idiom, evening class, podcast, placement test".split(
        ", ",
      ),
    asks: [
      "Explain the {thing} with {number} short examples.",
      "How do I practise a {thing} when I have little time?",
      "Correct my homework about the {thing}, please.",
      "What is the most {adj} way to learn a {thing}?",
      "Translate a short text for my {thing}.",
    ],
    tips: [
      "Repeat the {thing} after a day, after a week and after a month.",
      "Say the {thing} aloud, even if it feels {adj}.",
      "Teachers hear a wrong {thing} at once, and natives hardly care.",
      "Learn a {thing} with the sentence that it came in.",
      "Ten minutes with a {thing} each day beat an hour on Sunday.",
      "Verbs of motion behave in a {adj} way here.",
      "A language school will test you before it sells the {thing}.",
      "Films with subtitles turn a {thing} into something that you have heard.",
    ],
  },
  {
    name: "books",
    things:
      "plot twist, narrator, library card, first chapter, reading circle, translation, audiobook, bookshelf, poem, book review, cliffhanger, paperback".split(
        ", ",
      ),
    asks: [
      "What makes a {thing} work in a long novel?",
      "Write a {adj} paragraph that starts with a {thing}.",
      "How do I discuss a {thing} with people who did not like it?",
      "Give me {number} questions about a {thing} for our group.",
      "Is a {thing} better than the film, in general?",
    ],
    tips: [
      "A {adj} narrator hides the {thing} in plain sight.",
      "Read the {thing} twice, once for the story and once for the hand that made it.",
      "Authors cut the {thing} that they love most.",
      "A group of {number} is large enough for a {thing} and small enough to listen.",
      "Give a {thing} fifty pages, and then you may stop.",
      "Pages that drag are often there for the {thing} later.",
      "Libraries buy a {thing} if three people ask for it.",
      "Mark the {thing} in pencil, future readers will thank you.",
    ],
  },
];
