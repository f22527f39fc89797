import { KIN, NAME } from "./kin.ts";
import { objectWords } from "./object-words.ts";

/** "the dog's vet is now Dr. K": what somebody's or something's own is. */
export interface Attribute {
  /** Behind the owner: "dog" of "my dog's vet"; none for what is the owner's own. */
  readonly of: readonly string[];
  readonly predicate: string;
  readonly object: string;
  readonly negated: boolean;
  readonly past: boolean;
  readonly single: boolean;
  /** "leaves at": it stands for itself between owner and object. */
  readonly isVerb: boolean;
}

const WORD = "[\\p{L}\\p{N}][\\p{L}\\p{N}.'’/&-]*";
const IS =
  "(?<is>(?:(?:is|are|'s|'re|was|were|has been|have been|had been|got|will be|has now been)(?: (?:now|currently|actually|still|also|already|always|probably|going to be|officially|just|recently|finally|not|set|scheduled|due|booked|planned|supposed to be))*|isn't|aren't|wasn't|became|has become|used to be|turned out to be|changed to|has changed to|switched to)(?: (?:called|named))?)";
const CHANGED =
  "(?:been |gotten |got )?(?:moved|rescheduled|changed|pushed(?: back| out)?|postponed|brought forward|shifted|updated|switched|raised|lowered|increased|reduced|cut)(?: up| down)?(?: from .+?)? to";
const ATTRIBUTE = new RegExp(
  `^(?<attr>${WORD}(?: ${WORD}){0,6}?)\\s*(?:${IS}(?<changed> ${CHANGED})?) (?:(?:now|currently|actually|still|just|always|only) )*(?<o>.+)$`,
  "u",
);
const MOVED = new RegExp(`^(?<attr>${WORD}(?: ${WORD}){0,6}?) (?:${CHANGED}) (?<o>.+)$`, "u");
const DOES = new RegExp(
  `^(?<attr>${WORD}(?: ${WORD}){0,6}?) (?:now |currently |usually |always )?(?<does>leaves|departs|arrives|lands|starts|begins|ends|finishes|expires|costs|weighs|opens|closes|takes place|happens|runs until|runs on|lasts|takes|pays|contains|consists of|comes from)(?: (?:on|at|in|from|until))? (?<o>.+)$`,
  "u",
);

/** What a turn's own business is, and nothing of the user. */
const PASSING =
  /\b(?:questions?|problems?|issues?|codes?|functions?|files?|scripts?|errors?|points?|guess|understanding|concerns?|thoughts?|opinion|bad|turn|messages?|requests?|query|queries|tasks?|prompts?|input|output|answers?|apologies|assumption|mistake|confusion|intention|idea|method|class|test|tests|loop|array|string|regex|component|branch|commit|repo|repository|server|endpoint|build|container|cluster|table|column|example|essay|draft|paragraph|sentence|text|doubt|fault|case|reason|hope|feeling|first|second|next|only|main|biggest|other|head|eyes?|stomach|screen|internet|wifi|browser)$/i;
/** Somebody else says it, of what is theirs. */
const REPORTED =
  /\b(?:sa(?:id|ys|ying)|t(?:old|ells)|th(?:inks|ought)|claim(?:s|ed)|mention(?:s|ed)|believes?d?|knows?|knew|hopes?d?|wishes|wished|asks?|asked|his|her|their|my|your)\b/i;
const KNOWN =
  /^(?:full name|first name|last name|name|nickname|birthday|birth ?date|age|e-?mail(?: address)?|address|phone number|number|job|job title|profession|occupation|role|position|title|employer|company|workplace|school|university|college|major|degree|hobby|hobbies|goals?|dream|budget|deadline|diet|allerg(?:y|ies)|blood type|car|bike|phone|laptop|computer|camera|languages?|native language|mother tongue|time ?zone|hometown|home|nationality|height|weight|(?:[\w-]+ )?size|commute|schedule|routine|birthplace|wedding(?: .*)?|anniversary|username|team|lease|rent|mortgage|passport.*|insurance.*|personal best.*|record.*|zodiac sign|star sign|religion|pronouns|(?:eye|hair) colou?r|anniversary|plan|style|budget .*|go-?to .*|usual .*|dream .*|current .*|(?:least )?favou?rite .*|preferred .*|all-time .*|top .*|new .*|weekly .*|daily .*|monthly .*|.* (?:goal|budget|deadline|target|limit|schedule|routine|appointment|flight|trip|name|number|birthday|time|date|day|rate|salary|type|brand|model|colou?r|breed|language|team|subject|club|class|course|plan))$/i;
const NOTHING_SAID =
  /^(?:that|if|how|why|what|where|when|who|whether|because|like|being|about|broken|working|not|down|slow|fine|ok|okay|good|great|done|ready|wrong|correct|right|weird|strange|still|going|getting|giving|showing|failing|missing|empty|too|very|really|so|pretty|quite|super|a bit|a little|killing|driving|acting|mostly|all|as follows|the same|similar|different|in|under|over|on|off|out)\b(?! (?:\d|[A-Z]))/;
const HOBBY = /(?:hobby|hobbies|sport|activity|pastime|passion|interests?|goals?)$/;
const PLURAL = /(?:^| )(?:hobbies|languages|allergies|goals|interests|kids|children|parents|\p{L}+s)$/u;

/** Of what follows "my", "our" or "Anna's". */
export function attributeIn(text: string): Attribute | null {
  const moved = MOVED.exec(text);
  const found = ATTRIBUTE.exec(text) ?? moved;
  if (found?.groups !== undefined) {
    const { attr = "", is = "", changed } = found.groups;
    const object = objectOf(found.groups["o"] ?? "");
    const { of, predicate } = chain(attr);
    if (object === null || PASSING.test(predicate) || REPORTED.test(attr) || predicate.split(" ").length > 7)
      return null;
    if (!fits(predicate, object, changed !== undefined || found === moved)) return null;
    const negated = /n't$|\bnot\b/.test(is);
    const past = /^(?:was|were|used to be|had been)/.test(is) && changed === undefined;
    return {
      of,
      predicate,
      object,
      negated,
      past,
      single: !PLURAL.test(predicate) || /\bare\b/.test(is),
      isVerb: false,
    };
  }
  const { attr = "", does = "", o = "" } = DOES.exec(text)?.groups ?? {};
  const object = objectOf(o);
  const { of, predicate } = chain(attr);
  if (object === null || PASSING.test(predicate) || !/\d|\p{Lu}/u.test(object)) return null;
  return { of: [...of, predicate], predicate: does, object, negated: false, past: false, single: true, isVerb: true };
}

const objectOf = (text: string): string | null =>
  objectWords(
    text.replace(
      /^(?:on|for|at) (?=\S*\d|(?:the )?\d|[A-Z]|next|this|tomorrow|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mon|tues|wednes|thurs|fri|satur|sun)\w* ?)/,
      "",
    ),
  );

/** "dog's vet" is the vet of the dog. */
function chain(attr: string): { readonly of: readonly string[]; readonly predicate: string } {
  const parts = attr.replaceAll("’", "'").split(/'s? /);
  const predicate = (parts.at(-1) ?? attr).replace(/^(?:current|new|present|own) (?=\w)/, "").trim();
  return { of: parts.slice(0, -1), predicate };
}

const IS_KIN = new RegExp(`^(?:${KIN})s?$`, "iu");
const IS_NAME = new RegExp(`^(?:${NAME})$`, "u");

function fits(predicate: string, object: string, changed: boolean): boolean {
  if (IS_KIN.test(predicate))
    return (
      IS_NAME.test(object) ||
      /^(?:an? )?[\w -]*(?:retriever|terrier|poodle|beagle|labrador|collie|shepherd|tabby|siamese|persian|corgi|dachshund|bulldog|mix)\b/i.test(
        object,
      )
    );
  if (NOTHING_SAID.test(object) || (/^[a-z]+ing\b(?! (?:and|or)\b)/.test(object) && !HOBBY.test(predicate)))
    return false;
  if (/^to\b/i.test(object)) return /(?:goals?|dream|plan|aim|target|resolution)$/i.test(predicate);
  return changed || KNOWN.test(predicate) || /\d/.test(object) || /\p{Lu}\p{L}+/u.test(object);
}
