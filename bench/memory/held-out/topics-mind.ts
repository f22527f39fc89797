import type { Topic } from "../material.ts";

export const MIND_TOPICS: readonly Topic[] = [
  {
    name: "chess",
    things:
      "endgame study, passed pawn, opening trap, clock handling, pinned knight, blunder check, rook lift, tactics set, draw offer, team match, castling rule, score sheet".split(
        ", ",
      ),
    asks: [
      "How do masters think about a {thing}?",
      "Quiz me with riddles on the {thing}.",
      "Why is a {thing} considered {trait}?",
      "My club debates the {thing}, settle it.",
      "Annotate a short game that features a {thing}.",
    ],
    tips: [
      "Ask what your rival wants before the {thing}.",
      "A {trait} {thing} often decides between equals.",
      "Study one {thing} per evening and replay it blind.",
      "Trade pieces if ahead, pawns if behind, and respect the {thing}.",
      "Time trouble turns a {thing} into a lottery.",
      "Write down the move and then look at the {thing} again.",
      "Kings walk in the endgame, so let the {thing} wait.",
      "Lost games with a {thing} are the cheapest school.",
    ],
  },
  {
    name: "astronomy",
    things:
      "star chart, red lamp, finder scope, dew heater, dark site, lunar phase, filter wheel, meteor count, polar alignment, sky app, sunspot sketch, light dome".split(
        ", ",
      ),
    asks: [
      "Is a {thing} of use in a bright suburb?",
      "What shows up this season with a {trait} {thing}?",
      "Explain the {thing} to my eight-year-old.",
      "How precise must the {thing} be?",
      "Compile a night plan around the {thing}.",
    ],
    tips: [
      "Eyes adapt within {span}, so shield the {thing}.",
      "Look slightly beside a faint object, {thing} or not.",
      "Moonlight drowns nebulae, then the {thing} rests.",
      "Cool the optics outdoors alongside the {thing}.",
      "A {trait} tripod outranks a fine {thing}.",
      "Log the seeing, the hour and the {thing}.",
      "Planets shimmer low down and make the {thing} look bad.",
      "Dress for ten degrees less than the {thing} suggests.",
    ],
  },
  {
    name: "genealogy",
    things:
      "parish register, census sheet, ship manifest, maiden name, heirloom, DNA match, pedigree chart, gravestone, land deed, archive visit, oral history, coat of arms".split(
        ", ",
      ),
    asks: [
      "Where would a {thing} from the 1800s be kept?",
      "Decipher what a {trait} {thing} may say.",
      "My cousins dispute the {thing}, how do I verify it?",
      "Compose a letter asking an archive for a {thing}.",
      "What privacy rules govern a {thing}?",
    ],
    tips: [
      "Work backwards from yourself to the {thing}.",
      "Clerks spelled by ear, so the {thing} may hide under a {trait} variant.",
      "Interview the eldest first, the {thing} keeps.",
      "Cite the shelf mark along with the {thing}.",
      "Fires and wars took many a {thing}, witnesses fill gaps.",
      "Godparents in a {thing} are frequently kin.",
      "Scan the {thing} on both sides.",
      "Brothers shared first names when one died young, so check the {thing}.",
    ],
  },
  {
    name: "law",
    things:
      "power of attorney, small claim, witness statement, cooling-off period, easement, warranty, arbitration clause, notarised copy, will, liability waiver, appeal, boundary dispute".split(
        ", ",
      ),
    asks: [
      "In layman's terms, what is a {thing}?",
      "Which deadlines apply to a {thing}?",
      "Is a {trait} {thing} binding?",
      "Prepare me for a hearing about a {thing}.",
      "Who pays if the {thing} turns out void?",
    ],
    tips: [
      "This is general information, a solicitor should see the {thing}.",
      "Send the {thing} by registered post and retain the slip.",
      "Deadlines run from delivery, mostly {span}.",
      "A {trait} clause inside the {thing} can sink it.",
      "Courts read the {thing} as a neutral stranger would.",
      "Settlements beat verdicts in most quarrels over a {thing}.",
      "Insurers reply faster when the {thing} is attached.",
      "Never sign the {thing} on the doorstep.",
    ],
  },
  {
    name: "spreadsheets",
    things:
      "pivot table, lookup formula, named range, conditional format, circular reference, macro button, drop-down, text import, array formula, hidden column, chart axis, date cell".split(
        ", ",
      ),
    asks: [
      "My {thing} returns an error, where might it come from?",
      "Replace this monster by a {trait} {thing}.",
      "Which shortcut creates a {thing}?",
      "Is a {thing} faster than a helper column?",
      "Document the {thing} for whoever inherits the workbook.",
    ],
    tips: [
      "Freeze the top line before the {thing} grows.",
      "One fact per cell keeps the {thing} {trait}.",
      "Dates stored as text break the {thing} quietly.",
      "Colour is no data, the {thing} cannot add it.",
      "Protect the formulas and leave the {thing} open.",
      "Split the workbook once the {thing} needs {span} to load.",
      "Anchors with dollar signs stop the {thing} from sliding.",
      "Test the {thing} with an empty, a huge and a negative figure.",
    ],
  },
  {
    name: "marketing",
    things:
      "landing page, newsletter, press kit, loyalty stamp, flyer, testimonial, trade fair booth, banner, opt-in form, launch calendar, customer survey, window display".split(
        ", ",
      ),
    asks: [
      "Punch up the copy of my {thing}.",
      "Who is the audience of a {trait} {thing}?",
      "Brainstorm angles for a {thing} on a shoestring.",
      "What response can a {thing} realistically get?",
      "Critique the {thing} as a grumpy client would.",
    ],
    tips: [
      "Lead the {thing} with the benefit, then the proof.",
      "A {trait} headline earns the {thing} {span} of attention.",
      "One call to action per {thing}.",
      "Shoppers forgive a dull {thing} and never a false one.",
      "Send the {thing} on a weekday at ten.",
      "Two versions of the {thing}, one difference.",
      "Stories sell, figures reassure, the {thing} needs both.",
      "Ask for the sale ahead of the {thing}'s last line.",
    ],
  },
  {
    name: "teaching",
    things:
      "lesson hook, quiz sheet, seating chart, parents' evening, reading aloud, group rotation, homework club, rubric, field trip, substitute plan, show and tell, report comment".split(
        ", ",
      ),
    asks: [
      "Invent a {thing} on volcanoes for ten-year-olds.",
      "How do I rescue a {trait} {thing}?",
      "Which pupils profit from a {thing}?",
      "Phrase a {thing} diplomatically.",
      "Is there research in favour of the {thing}?",
    ],
    tips: [
      "Start the {thing} with a puzzle they cannot resist.",
      "Wait {span} after a question, silence is part of the {thing}.",
      "Praise effort in the {thing} and be specific.",
      "A {trait} routine calms the class faster than a {thing}.",
      "Pupils copy the tone of the {thing}.",
      "Move around the room, the {thing} is no fortress.",
      "Heads of school skim the {thing} for spelling.",
      "Swap the {thing} with a colleague and steal with pride.",
    ],
  },
];
