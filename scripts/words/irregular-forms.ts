/** Forms that no ending gives away, each before the word it is a form of. */
const FORMS = `ate eat, eaten eat, awoke awake, became become, began begin, begun begin, bent bend, bit bite, bitten bite,
  bled bleed, blew blow, blown blow, bore bear, born bear, bought buy, bound bind, bred breed, broke break, broken break,
  brought bring, built build, burnt burn, came come, caught catch, chose choose, chosen choose, clung cling, crept creep,
  dealt deal, dreamt dream, drank drink, drunk drink, drew draw, drawn draw, driven drive, drove drive, dug dig,
  fallen fall, fell fall, fed feed, felt feel, fled flee, flew fly, flown fly, forbidden forbid, forgave forgive,
  forgiven forgive, forgot forget, forgotten forget, fought fight, found find, froze freeze, frozen freeze, given give,
  gave give, gone go, went go, grew grow, grown grow, heard hear, held hold, hid hide, hidden hide, hung hang, kept keep,
  knelt kneel, knew know, known know, laid lay, lain lie, learnt learn, led lead, left leave, lent lend, lit light,
  lost lose, made make, meant mean, met meet, mistaken mistake, overcame overcome, paid pay, ran run, rang ring,
  ridden ride, risen rise, rode ride, rose rise, rung ring, said say, sang sing, sank sink, sat sit, saw see, seen see,
  sent send, sewn sew, shaken shake, shone shine, shook shake, shot shoot, shown show, shrank shrink, shrunk shrink,
  slept sleep, slid slide, sold sell, sought seek, spelt spell, spent spend, spilt spill, spoilt spoil, spoke speak,
  spoken speak, sprang spring, stolen steal, stole steal, stood stand, struck strike, stuck stick, stung sting,
  sung sing, sunk sink, swam swim, swept sweep, swollen swell, swore swear, sworn swear, swum swim, swung swing,
  taken take, taught teach, thought think, threw throw, thrown throw, told tell, took take, tore tear, torn tear,
  understood understand, woke wake, woken wake, won win, wore wear, worn wear, wound wind, wove weave, woven weave,
  written write, wrote write, better good, best good, worse bad, worst bad, children child, feet foot, geese goose,
  halves half, knives knife, leaves leaf, lives life, loaves loaf, men man, mice mouse, people person, shelves shelf,
  teeth tooth, thieves thief, wives wife, wolves wolf, women woman`;

export const IRREGULAR_FORMS = FORMS.split(",").map((pair) => pair.trim().split(" ") as [form: string, base: string]);
