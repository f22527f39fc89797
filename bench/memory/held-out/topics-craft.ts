import type { Topic } from "../material.ts";

export const CRAFT_TOPICS: readonly Topic[] = [
  {
    name: "knitting",
    things:
      "stitch marker, circular needle, cable panel, gauge swatch, sleeve cap, lace chart, button band, skein, purl ridge, moth trap, darning egg, picot edge".split(
        ", ",
      ),
    asks: [
      "What is the trick to a {trait} {thing}?",
      "My {thing} curls at the border, why?",
      "Talk me through a {thing} for absolute novices.",
      "Could I substitute the {thing} by something I own already?",
      "Convert the numbers for a {thing} from inches.",
    ],
    tips: [
      "Count the loops after each {thing}, not at the end.",
      "Wool forgives a {trait} {thing}, cotton never does.",
      "Block the {thing} damp and pin it for {span}.",
      "Left-handed knitters mirror the {thing} in their head.",
      "Tension changes with mood, so do not pick up the {thing} angry.",
      "Yarn from one dye lot saves the {thing} from stripes.",
      "A lifeline through the {thing} lets you rip back without tears.",
      "Patterns from the fifties assume that the {thing} is obvious.",
    ],
  },
  {
    name: "woodwork",
    things:
      "mortise, tenon, dovetail, workbench, sanding block, wood glue, chisel, veneer, clamp, dust mask, varnish coat, drawer runner".split(
        ", ",
      ),
    asks: [
      "Where do I begin if the {thing} has to be {trait}?",
      "Sketch a cut list that includes a {thing}.",
      "Does a {thing} need sealing outdoors?",
      "What went wrong if the {thing} splits?",
      "Which grit comes first on a {thing}?",
    ],
    tips: [
      "Mark the face side before the {thing} leaves the bench.",
      "Timber moves across the grain, leave the {thing} room.",
      "Dry-fit the {thing} and only then reach for the glue.",
      "A sharp {thing} is safer than a blunt one.",
      "Let oil soak in for {span}, then buff the {thing}.",
      "Offcuts make a {trait} jig for the {thing}.",
      "Knots bleed through unless the {thing} is sealed with shellac.",
      "Clamp pads prevent dents around the {thing}.",
    ],
  },
  {
    name: "pottery",
    things:
      "throwing wheel, bisque, slip trail, coil pot, handle pull, kiln shelf, foot ring, clay body, rib tool, wax resist, cone pack, lid gallery".split(
        ", ",
      ),
    asks: [
      "Why does my {thing} warp?",
      "Recommend exercises that make the {thing} more {trait}.",
      "At which temperature does the {thing} mature?",
      "Is it dangerous to eat from a {thing} with crazing?",
      "Help me price a {thing} for the market stall.",
    ],
    tips: [
      "Wedge the clay longer than the {thing} seems to require.",
      "Centre first, since a {trait} {thing} starts there.",
      "Dry the {thing} upside down for {span}.",
      "Thin walls crack where they meet a thick {thing}.",
      "Sieve the slip twice to keep grit off the {thing}.",
      "Keep a logbook of each firing and of the {thing} in it.",
      "Compress the base, otherwise the {thing} gets an S-crack.",
      "Potters reclaim every scrap of the {thing}.",
    ],
  },
  {
    name: "garden",
    things:
      "compost heap, seed tray, trellis, rain barrel, slug fence, raised bed, cold frame, pruning saw, mulch layer, graft, soil test, espalier".split(
        ", ",
      ),
    asks: [
      "When is the moment for the {thing} in a cool climate?",
      "Something nibbles at my {thing}, who could it be?",
      "Design a border with a {trait} {thing} as centre.",
      "How deep should a {thing} go?",
      "Tell me which weeds betray a bad {thing}.",
    ],
    tips: [
      "Water the roots and not the leaves near the {thing}.",
      "Rotate crops every {span}, the {thing} benefits.",
      "Cover the {thing} when frost is forecast.",
      "Worms do the digging if the {thing} is {trait}.",
      "Nettle brew feeds the {thing} and offends the nose.",
      "Cut just above a bud, at a slant, away from the {thing}.",
      "Hedgehogs prefer an untidy corner behind the {thing}.",
      "Harvest in the evening, far from the {thing}, in dry weather.",
    ],
  },
  {
    name: "aquarium",
    things:
      "sponge strainer, nitrate test, driftwood, gravel vacuum, algae wafer, heater guard, water change, moss wall, bubble stone, breeding box, pond liner, snail trap".split(
        ", ",
      ),
    asks: [
      "My {thing} went cloudy overnight, is that {trait}?",
      "In what order do I install the {thing}?",
      "How often is a {thing} called for in a small tank?",
      "Do shrimps get along with a {thing}?",
      "Give me the chemistry behind the {thing}, gently.",
    ],
    tips: [
      "Cycle the water for {span} prior to any {thing}.",
      "Feed little, and siphon what sinks to the {thing}.",
      "Fish gasp at the surface when the {thing} is clogged.",
      "A {trait} {thing} is quieter at night.",
      "Quarantine newcomers away from the {thing}.",
      "Algae love light, so move the {thing} from the sunny side.",
      "Plants eat what the {thing} leaves over.",
      "Test strips lie a little, drops next to the {thing} less so.",
    ],
  },
  {
    name: "beekeeping",
    things:
      "queen excluder, smoker, brood frame, honey extractor, varroa board, swarm box, entrance reducer, wax sheet, sugar syrup, bee suit, pollen patty, super".split(
        ", ",
      ),
    asks: [
      "Is it too late in the year for a {thing}?",
      "The colony ignores the {thing}, what now?",
      "Which records do inspectors expect about the {thing}?",
      "Build instructions for a {trait} {thing}, if you please.",
      "How do old keepers manage without a {thing}?",
    ],
    tips: [
      "Approach the {thing} from behind and move like honey.",
      "A calm queen makes a {trait} colony, {thing} or none.",
      "Inspect every {span} in May, the {thing} included.",
      "Stings near the {thing} mean that rain is coming.",
      "Melt old comb, but never above the {thing}.",
      "Leave the bees enough stores before the {thing} comes off.",
      "Drones gather where the {thing} faces the sun.",
      "Scrape propolis from the {thing} on a frosty day.",
    ],
  },
  {
    name: "tea",
    things:
      "gaiwan, strainer, clay teapot, tea caddy, second infusion, whisk, blending bowl, leaf grade, thermos, cupping set, milk question, spring picking".split(
        ", ",
      ),
    asks: [
      "At what heat should a {thing} meet the leaf?",
      "What is the lore around the {thing}?",
      "My {thing} tastes of metal, any remedy?",
      "Arrange a tasting with a {thing} for novices.",
      "Which mistakes make a {thing} {trait}?",
    ],
    tips: [
      "Pour off the boil, as the {thing} scorches easily.",
      "Steep for less than {span}, whatever the {thing} suggests.",
      "Green leaf sulks in a {trait} {thing}.",
      "Merchants grade by size, and the {thing} shows it.",
      "Never use soap on the {thing}.",
      "Smell the lid of the {thing}, it tells more than the cup.",
      "Loose leaf unfurls best in a wide {thing}.",
      "Keep spices out of the cupboard where the {thing} sleeps.",
    ],
  },
];
