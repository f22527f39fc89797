/** Whether a subject has one object of the predicate at a time, and other words with which users ask for it. */
interface PredicateRow {
  readonly single: boolean;
  readonly hints: string;
}

const one = (hints: string): PredicateRow => ({ single: true, hints });
const many = (hints: string): PredicateRow => ({ single: false, hints });

const PREDICATES: Readonly<Record<string, PredicateRow>> = {
  "lives in": one("home city town country residence reside address location moved relocated living based where"),
  "lived in": many("former previous home city residence past"),
  "is from": one("origin hometown native born grew up country nationality"),
  "grew up in": one("childhood hometown raised origin"),
  "works at": one("job employer company workplace work office organisation career"),
  "works as": one("job occupation profession career role position title work living"),
  "works in": one("industry field sector department job work"),
  "worked at": many("former previous job employer company"),
  "studies at": one("university college school education student course"),
  studies: one("subject major degree education student course university"),
  "graduated from": many("degree university college school education alma mater"),
  "marital status": one("married single divorced engaged relationship wife husband spouse"),
  diet: one("food eat eating meal vegetarian vegan diet restriction"),
  "allergic to": many("allergy allergies intolerance intolerant food avoid reaction medical"),
  "cannot eat": many("food avoid diet allergy intolerance restriction"),
  eats: many("food diet meal"),
  drinks: many("drink beverage"),
  likes: many("like love enjoy favourite preference interest hobby fan into"),
  dislikes: many("hate dislike avoid preference"),
  prefers: many("preference prefer rather favourite choice style"),
  fears: many("afraid scared fear phobia"),
  name: one("called named name"),
  "wants to be called": one("name nickname call address"),
  birthday: one("born birth date age celebrate"),
  anniversary: one("wedding married date celebrate"),
  age: one("old years birthday"),
  height: one("tall size"),
  weight: one("kilos pounds size heavy"),
  drives: one("car vehicle drive driving"),
  owns: many("have own possession belongs"),
  has: many("have own got"),
  uses: many("use tool software app device"),
  plays: many("hobby sport instrument game play"),
  practices: many("hobby sport exercise training"),
  speaks: many("language fluent speak"),
  "is learning": many("study language course hobby learn lesson class"),
  teaches: one("teacher subject job class"),
  decided: many("decision agreed chose choice conclusion plan settled"),
  "plans to": many("plan planning upcoming future going intend schedule"),
  wants: many("instruction preference always never wish rule request"),
  "to remember": many("remember note important"),
  goal: many("aim target objective ambition"),
  bought: many("purchase purchased buy shopping acquired new order"),
  visited: many("trip travel travelled vacation holiday went tour been"),
  attended: many("event went concert class conference party"),
  watched: many("movie film show series seen"),
  read: many("book novel author reading finished"),
  adopted: many("pet animal dog cat got new"),
  started: many("began begin new start"),
  finished: many("completed done end finish"),
};

const SINGLE_OBJECT =
  /\b(?:wife|husband|spouse|partner|fianc[eé]e?|girlfriend|boyfriend|mother|mum|mom|father|dad|boss|manager|supervisor|doctor|physician|gp|dentist|vet|therapist|landlord|landlady|hairdresser|accountant|lawyer|coach|trainer|best friend)$/;
const MULTIPLE_OBJECTS =
  /\b(?:sister|brother|sibling|son|daughter|kid|child|cousin|uncle|aunt|aunty|nephew|niece|friend|colleague|coworker|co-worker|teammate|neighbou?r|roommate|flatmate|housemate|classmate|mentor|student|client|customer|hobby|hobbies|allergy|allergies|pet|grandmother|grandfather|grandma|grandpa|language|skill|interest|symptom|concern|twin)s?$/;
const RELATIVE =
  /\b(?:sister|brother|son|daughter|wife|husband|mother|mum|mom|father|dad|partner|cousin|uncle|aunt|nephew|niece|grandmother|grandfather|grandma|grandpa)s?$/;

const SYNONYMS: readonly (readonly [RegExp, string])[] = [
  [
    /^(?:lives?|living|resides?|residing|is based|is living|home|home city|city of residence|residence|location|moved to|relocated to|lives? at|address city)(?: in| to)?$/,
    "lives in",
  ],
  [/^(?:works? (?:at|for|with)|employer|is employed (?:at|by)|employed (?:at|by)|company|workplace)$/, "works at"],
  [/^(?:works? as|job|occupation|profession|job title|role|position|is employed as)$/, "works as"],
  [/^(?:date of birth|birth ?date|b-?day|born on|was born on|has birthday(?: on)?|birthday is)$/, "birthday"],
  [/^(?:is allergic to|allergy|allergies|has allergy to|is allergic|has an allergy to)$/, "allergic to"],
  [/^(?:likes?|loves?|enjoys?|is fond of|is a fan of|is into)(?: to)?$/, "likes"],
  [/^(?:dislikes?|hates?|does not like|doesn't like|detests?)(?: to)?$/, "dislikes"],
  [/^(?:prefers?|preference|has preference for)(?: to)?$/, "prefers"],
  [/^(?:is called|is named|named|called|has name|name is)$/, "name"],
  [/^(?:follows diet|dietary preference|dietary restriction|diet is|is on diet)$/, "diet"],
  [/^(?:decided(?: to| on| that)?|decision|agreed(?: to| on| that)?)$/, "decided"],
  [/^(?:plans?|is planning|intends?|is going)(?: to)?$/, "plans to"],
  [/^(?:owns?|possesses)$/, "owns"],
  [/^(?:comes from|originally from|hometown|nationality)$/, "is from"],
];

/** One spelling for each predicate. */
export function normalPredicate(words: string): string {
  const plain = words
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll("_", " ")
    .replaceAll(/\b(fav|col|flav|hum|neighb|hon|lab|harb|behavi)our/g, "$1or")
    .replaceAll(/\s+/g, " ")
    .trim();
  return SYNONYMS.find(([pattern]) => pattern.test(plain))?.[1] ?? plain;
}

const NOT = "not ";

/** Whether a subject has one object at a time; `stated` decides for an unknown predicate. */
export function isSingle(predicate: string, stated: boolean): boolean {
  if (predicate.startsWith(NOT)) return false;
  if (predicate.startsWith("number of ")) return true;
  if (MULTIPLE_OBJECTS.test(predicate)) return false;
  return PREDICATES[predicate]?.single ?? (SINGLE_OBJECT.test(predicate) || stated);
}

/** Whether it is one of the common predicates. Others are in words of a model. */
export const isKnownPredicate = (predicate: string): boolean => Object.hasOwn(PREDICATES, withoutNot(predicate));

/** Other words with which users ask for the predicate. */
export function predicateHints(predicate: string): string {
  const plain = withoutNot(predicate);
  const kin = RELATIVE.test(plain) ? "family relative" : "";
  return PREDICATES[plain]?.hints ?? kin;
}

const withoutNot = (predicate: string): string => (predicate.startsWith(NOT) ? predicate.slice(NOT.length) : predicate);

const OPPOSITES: Readonly<Record<string, string>> = { likes: "dislikes", dislikes: "likes" };

export const negatedPredicate = (predicate: string): string => OPPOSITES[predicate] ?? `${NOT}${predicate}`;

/** The predicate that contradicts it for the same object. */
export const oppositePredicate = (predicate: string): string =>
  OPPOSITES[predicate] ?? (predicate.startsWith(NOT) ? withoutNot(predicate) : `${NOT}${predicate}`);
