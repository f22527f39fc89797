import type { NodeType } from "../../memory/social-graph.ts";

const HOW =
  "(?:(?:older|younger|elder|eldest|oldest|youngest|big|little|baby|twin|step|half|ex|former|best|close|old|good|new|late|great|foster|childhood|college|work|business)[ -])*";
const ANIMALS =
  "dog|cat|puppy|kitten|parrot|horse|pony|rabbit|bunny|hamster|guinea pig|turtle|tortoise|goldfish|bird|ferret|lizard|snake|pet";
const PERSONS =
  "(?:mother|father|sister|brother|daughter|son)-in-law|wife|husband|spouse|partner|fianc[eé]e?|girlfriend|boyfriend|bf|gf|hubby|mother|mum|mom|father|dad|parents?|sister|brother|sibling|son|daughter|kid|child|toddler|baby|stepson|stepdaughter|stepmother|stepmom|stepfather|stepdad|cousin|uncle|aunt|auntie|nephew|niece|grandmother|grandfather|grandma|grandpa|granny|grandson|granddaughter|friend|buddy|colleague|coworker|co-worker|teammate|neighbou?r|roommate|flatmate|housemate|classmate|boss|manager|supervisor|mentor|assistant|intern|doctor|physician|gp|dentist|therapist|psychologist|physio|physiotherapist|vet|veterinarian|dermatologist|cardiologist|surgeon|optometrist|orthodontist|pediatrician|teacher|tutor|professor|advisor|coach|trainer|personal trainer|instructor|landlord|landlady|lawyer|attorney|accountant|hairdresser|barber|stylist|realtor|agent|babysitter|nanny|cleaner|plumber|electrician|mechanic|client|customer|student|godmother|godfather|goddaughter|godson|ex";

/** What somebody can be to the user. */
export const KIN = `${HOW}(?:${PERSONS}|${ANIMALS})`;
export const NAME =
  "(?:(?:Dr|Mr|Mrs|Ms|Prof)\\.? (?:van |von |de |der |den )*)?\\p{Lu}[\\p{L}'’-]*(?<!['’]s)(?:(?: (?:van|von|de|der|den|la|le|di|da|del|bin|al))* \\p{Lu}[\\p{L}'’-]*(?<!['’]s)| \\p{Lu}\\.)*";

const SEVERAL = new RegExp(
  `^(?:I|[Ww]e)(?: have|'ve(?: got)?| got) (?:\\w+ )?(?<kin>${KIN})(?:s|ren)?(?:,| called| named|, called|, named)? (?<names>${NAME}(?:, ${NAME})*,? and ${NAME})`,
  "u",
);

/** Those whom one clause names as the same to the user: "two kids, Ben and Mia". */
export function severalNamed(clause: string): readonly { readonly name: string; readonly relation: string }[] {
  const { kin = "", names = "" } = SEVERAL.exec(clause)?.groups ?? {};
  const relation = plainRelation(kin);
  return names === "" ? [] : names.split(/,? and |, /).map((name) => ({ name, relation }));
}

const ANIMAL = new RegExp(`(?:^|[ -])(?:${ANIMALS})$`, "i");
export const kinType = (relation: string): NodeType => (ANIMAL.test(relation) ? "animal" : "person");

/** "younger sister" is a sister too: what search and updates go by. */
export const plainRelation = (relation: string): string =>
  relation
    .toLowerCase()
    .replaceAll(/\s+/g, " ")
    .replace(/^(?:(?:close|old|good|great|new|childhood|college|work|business) )+/, "")
    .trim();
