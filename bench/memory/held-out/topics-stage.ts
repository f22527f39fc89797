import type { Topic } from "../material.ts";

export const STAGE_TOPICS: readonly Topic[] = [
  {
    name: "birds",
    things:
      "nesting box, perch, seed mix, moult, cuttlebone, field guide, hide, ringing session, dawn chorus, feather clip, aviary panel, suet ball".split(
        ", ",
      ),
    asks: [
      "What does a {trait} {thing} tell about a bird's condition?",
      "Where is the {thing} best mounted?",
      "Teach me to identify species by their {thing}.",
      "Is the {thing} harmful to fledglings?",
      "Which season suits the {thing}?",
    ],
    tips: [
      "Parrots chew a {trait} {thing} out of boredom.",
      "Clean the {thing} with vinegar every {span}.",
      "Approach birds sideways, {thing} in hand.",
      "Songs carry further at dawn than beside the {thing}.",
      "Migrants rest near the {thing} if the cat is indoors.",
      "Vary fruit and grain so that the {thing} stays interesting.",
      "Plumage fades prior to the {thing}.",
      "Note wind and light whenever the {thing} is visited.",
    ],
  },
  {
    name: "house",
    things:
      "damp course, roof slate, septic tank, skirting board, loft hatch, stove flue, render crack, gutter, survey, sash cord, lime plaster, fuse board".split(
        ", ",
      ),
    asks: [
      "How urgent is a {trait} {thing}?",
      "Which trade do I ring about the {thing}?",
      "May I tackle the {thing} single-handed?",
      "Estimate what a {thing} would set us back, {cash}?",
      "The seller kept quiet about the {thing}. Options?",
    ],
    tips: [
      "Old walls breathe, never trap the {thing} behind plastic.",
      "Get three quotes for the {thing}, choose the middle.",
      "Ventilate for {span} after the {thing} is done.",
      "Rust streaks point upward to the {thing}.",
      "Cottages hide a {trait} {thing} under the carpet.",
      "Switch off the mains prior to touching the {thing}.",
      "Builders return quicker if the {thing} is unpaid.",
      "Grants exist for the {thing} in protected buildings.",
    ],
  },
  {
    name: "sailing",
    things:
      "mainsail, mooring line, tide table, bilge pump, life vest, winch, spinnaker, VHF call, cleat hitch, keel bolt, depth sounder, galley".split(
        ", ",
      ),
    asks: [
      "In what wind is the {thing} reefed or stowed?",
      "Drill me on the {thing} like a stern skipper.",
      "Our {thing} jammed offshore, what would you have done?",
      "Which knots belong to the {thing}?",
      "Make an inspection list with the {thing} on top.",
    ],
    tips: [
      "One hand for the boat, the other for the {thing}.",
      "Tides wait for no {thing}, so cast off {span} early.",
      "Rinse the {thing} in fresh water ashore.",
      "A {trait} crew talks before it touches the {thing}.",
      "Islands bend the wind, and the {thing} feels it.",
      "Reef when you first think of it, {thing} included.",
      "Spare fuses live beside the {thing}.",
      "Seasick sailors should steer and forget the {thing}.",
    ],
  },
  {
    name: "swimming",
    things:
      "flip turn, pull buoy, kickboard, breathing pattern, lane rope, goggles, ear plug, open-water buoy, catch phase, relay start, chlorine rash, sculling".split(
        ", ",
      ),
    asks: [
      "My {thing} feels {trait}, correct me.",
      "Propose a {count}-part set built on the {thing}.",
      "At what age is the {thing} taught?",
      "Does a {thing} help with endurance?",
      "Pool etiquette: what about the {thing}?",
    ],
    tips: [
      "Exhale under water all through the {thing}.",
      "Long strokes first, the {thing} follows.",
      "Rest {span} between sets, and shorten the {thing} when sloppy.",
      "Film the {thing} from the side.",
      "A {trait} kick wastes what the {thing} gained.",
      "Cold lakes demand company and a {thing}.",
      "Rotate from the hip, shoulders thank the {thing}.",
      "Coaches shout about the {thing}, then smile.",
    ],
  },
  {
    name: "choir",
    things:
      "warm-up, vowel shape, sight-reading, alto line, page turn, descant, breath mark, rehearsal pencil, robe, accompanist, encore, pitch pipe".split(
        ", ",
      ),
    asks: [
      "Our {thing} sags after an hour, any cure?",
      "Which {thing} suits a {trait} acoustic?",
      "How loud may the {thing} be against a piano?",
      "Write programme notes that mention the {thing}.",
      "Can late starters learn the {thing}?",
    ],
    tips: [
      "Hum the {thing} before you sing it.",
      "Consonants go ahead of the beat, the {thing} on it.",
      "Tenors drag when the {thing} is {trait}.",
      "Rehearse the end of the {thing} first.",
      "Water at room heat, {span} ahead of the {thing}.",
      "Listeners forgive a wrong note and notice the {thing}.",
      "Smile inwardly, the {thing} brightens.",
      "Exams reward a steady {thing} over a brilliant one.",
    ],
  },
  {
    name: "theatre",
    things:
      "prompt book, lighting cue, blocking, monologue, dress rehearsal, stage left, prop sword, understudy, interval bar, costume fitting, curtain call, trapdoor".split(
        ", ",
      ),
    asks: [
      "Direct me in a {trait} {thing}.",
      "Amateurs fear the {thing}, how do I reassure them?",
      "What would the {thing} be without money?",
      "Trace the origins of the {thing}.",
      "List hazards connected to the {thing}.",
    ],
    tips: [
      "Know the line before the {thing}.",
      "Face the gallery in every {thing}.",
      "Silence is a {trait} {thing}.",
      "Tape the floor so that the {thing} lands.",
      "Projectors hum, so hide them from the {thing}.",
      "Run the {thing} at double speed, once.",
      "Critics arrive during the {thing}.",
      "Sweep the boards {span} ahead of the {thing}.",
    ],
  },
  {
    name: "motorbikes",
    things:
      "chain lube, valve clearance, rain suit, side stand, throttle cable, pillion seat, tank bag, tyre thread, carburettor, intercom, gravel road, winter storage".split(
        ", ",
      ),
    asks: [
      "How would a mechanic diagnose the {thing}?",
      "Is touring with a {trait} {thing} reckless?",
      "Which roads punish the {thing}?",
      "Talk me out of upgrading the {thing} for {cash}.",
      "Beginner's guide to the {thing}, in plain speech?",
    ],
    tips: [
      "Look where you want to go, not at the {thing}.",
      "Warm the engine for {span}, then judge the {thing}.",
      "A {trait} rider checks the {thing} at each fuel stop.",
      "Leather dries slowly, keep it off the {thing}.",
      "Loosen the {thing} a notch for a passenger.",
      "Bends tighten behind hedges, {thing} or no {thing}.",
      "Lamps fail on inspection day, and so does the {thing}.",
      "Disconnect the battery ahead of the {thing}.",
    ],
  },
  {
    name: "nursing",
    things:
      "handover sheet, wound dressing, fluid chart, bed alarm, consent form, pain scale, drug round, discharge letter, hand hygiene, shift swap, lifting aid, night lamp".split(
        ", ",
      ),
    asks: [
      "Simplify the protocol for the {thing}.",
      "How do wards abroad treat the {thing}?",
      "Phrase a note about a {trait} {thing} for relatives.",
      "Which errors cluster around the {thing}?",
      "Mock interview: ask me on the {thing}.",
    ],
    tips: [
      "Document the {thing} at once and sign it.",
      "Tired staff skip the {thing}, build it into the walk.",
      "Explain the {thing} to patients in everyday terms.",
      "A {trait} voice does more than the {thing}.",
      "Rotate nights forward and protect {span} of rest.",
      "Hospitals audit the {thing} unannounced.",
      "Escalate early, apologise later, {thing} or not.",
      "Wash, glove, {thing}, wash.",
    ],
  },
  {
    name: "nutrition",
    things:
      "fibre intake, food journal, elimination phase, lunch box, glycaemic load, portion plate, fermented side, iron source, label reading, fasting window, broth, protein goal".split(
        ", ",
      ),
    asks: [
      "Debunk myths regarding the {thing}.",
      "Is my {thing} too {trait} for a shift worker?",
      "Swap ideas that improve the {thing}?",
      "Which symptoms hint at a poor {thing}?",
      "How do toddlers respond to a {thing}?",
    ],
    tips: [
      "Track the {thing} for {span} and only then alter it.",
      "Guts dislike haste, introduce the {thing} by spoonfuls.",
      "A {trait} supper beats a perfect {thing} once a year.",
      "Dietitians screen intolerances ahead of the {thing}.",
      "Rinse tinned pulses, it helps the {thing}.",
      "Thirst poses as hunger, {thing} aside.",
      "Cook double and freeze the {thing}.",
      "Supplements never outrun a {trait} {thing}.",
    ],
  },
];
