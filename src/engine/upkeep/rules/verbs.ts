import type { VerbPhrase } from "./verb-phrase.ts";

/** What a verb says of its subject. `o` is the object; a rule may name the predicate by more groups. */
export interface VerbRule {
  readonly pattern: RegExp;
  readonly predicate: string | ((groups: Readonly<Record<string, string | undefined>>) => string);
  /** It happened at a time; it is no state that lasts. */
  readonly event?: boolean;
  /** Also of somebody by a name that was never heard before. */
  readonly ofAnybody?: boolean;
  readonly negates?: boolean;
  /** The object is a name. */
  readonly named?: boolean;
  readonly fits?: (phrase: VerbPhrase) => boolean;
}

const stated = ({ past, perfect }: VerbPhrase): boolean => !past || perfect;
const isCopula = ({ copula }: VerbPhrase): boolean => copula;
const PLACE = "(?<o>(?:the )?[A-Z][\\p{L}'’.-]*(?:[ ,]+(?:[A-Z][\\p{L}'’.-]*|de|la|of|the|and))*)";
const NUMBER = "(?<n>\\d[\\d,.]*|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)";

export const VERB_RULES: readonly VerbRule[] = [
  {
    pattern:
      /^(?:live|lives|lived|living|reside|resides|resided|residing|based|settled(?: down)?)(?: here| over here| alone| together| out)? in (?<o>.+?)(?=,? (?:with|for|near|at|on|right|just|until|after|before)\b|$)/i,
    predicate: "lives in",
    ofAnybody: true,
    fits: ({ past, formerly, perfect, rest }) => !formerly && (!/^lived/i.test(rest) || perfect) && !past,
  },
  {
    pattern: /^(?:live|lived|living|resided?) in (?<o>.+?)(?=,? (?:with|for|near|at|on|until|after|before|when)\b|$)/i,
    predicate: "lived in",
    ofAnybody: true,
    fits: ({ past, formerly, rest }) => formerly || past || /^(?:lived|resided)/i.test(rest),
  },
  {
    pattern: new RegExp(
      `^(?:moved|relocated)(?: (?:back|out|over|away|here|house))?(?: from [\\p{L} ]+?)? to ${PLACE}`,
      "iu",
    ),
    predicate: "lives in",
    ofAnybody: true,
    fits: ({ rest, future }) => !future && /\bto (?:the )?[A-Z]/.test(rest),
  },
  {
    pattern: /^(?:moved|relocated) (?:in )?(?:to|into|with) (?<o>(?:(?:a|an|the|my|our|another) )?.+)/i,
    predicate: "moved to",
    event: true,
  },
  {
    pattern: /^(?:move|moving|relocate|relocating) (?:back |over )?to (?<o>[A-Z].+)/i,
    named: true,
    predicate: "plans to move to",
    fits: ({ copula, future }) => copula || future,
  },
  {
    pattern:
      /^(?:work|works|working|worked)(?: (?:full|part)[ -]time)?(?: remotely)? as (?:an? |the )?(?<o>.+?)(?= (?:at|for|in|with) |$)/i,
    predicate: "works as",
    ofAnybody: true,
    fits: stated,
  },
  {
    pattern:
      /^(?:work|works|working)(?: (?:full|part)[ -]time)?(?: remotely)?(?: as .+?)? (?:at|for) (?<o>(?:an? |the )?.+?)(?=,? (?:with|for|near|on|as|until|doing|after|before)\b|$)/i,
    predicate: "works at",
    ofAnybody: true,
    fits: stated,
  },
  {
    pattern: /^worked(?: as .+?)? (?:at|for) (?<o>.+)/i,
    predicate: ({ o }) => (/^[A-Z]/.test(o ?? "") ? "worked at" : ""),
  },
  {
    pattern:
      /^(?:work|works|working) (?:in|on) (?<o>(?!progress|it|this|that|something|my |the )[a-z ]+(?:industry|sector|department|field|team|marketing|finance|sales|education|healthcare|tech|research|law|construction|design|retail|media))/i,
    predicate: "works in",
    fits: stated,
  },
  {
    pattern:
      /^(?:started|began|got|landed|accepted|took)(?: working)?(?: (?:a|an|my|the))?(?: new| full-time| part-time)* (?:job|position|role|offer|work)?(?: as (?:an? )?.+?)? ?(?:at|with|for) (?<o>[A-Z].*)/i,
    named: true,
    predicate: "works at",
    ofAnybody: true,
  },
  {
    pattern:
      /^(?:(?:got |was )?promoted to|became|been promoted to|took over as|started as|now work as) (?:an? |the )?(?<o>(?:senior |junior |head |lead |chief |vice |deputy |team |regional |assistant )*[\w -]*(?:manager|director|engineer|lead|head|president|officer|partner|supervisor|coordinator|analyst|developer|designer|teacher|principal|nurse|chef|editor|professor|consultant|architect)\b.*)/i,
    predicate: "works as",
    ofAnybody: true,
  },
  {
    pattern:
      /^(?:quit|left(?= (?:my |the )?(?:job|position|role|work)\b)|resigned from|been laid off from|got laid off from|got fired from|was laid off from|retired from) (?:my |the |her |his )?(?:job|position|role|work)?(?: ?(?:at|with))? ?(?<o>[A-Z].*)/i,
    named: true,
    predicate: "works at",
    negates: true,
  },
  {
    pattern:
      /^(?:born) (?:on|in) (?<o>(?:.*\d.*|(?:January|February|March|April|May|June|July|August|September|October|November|December).*))/i,
    predicate: "birthday",
    ofAnybody: true,
  },
  {
    pattern: /^(?:born(?: and raised)?|raised|grew up) in (?<o>[A-Z].+)/i,
    named: true,
    predicate: "grew up in",
    ofAnybody: true,
  },
  {
    pattern: /^(?:come from|comes from|from|originally from|came from) (?<o>[A-Z].+)/i,
    named: true,
    predicate: "is from",
    fits: ({ copula, rest }) => copula || /^come/i.test(rest),
  },
  {
    pattern: /^(?:allergic|intolerant|sensitive) to (?<o>.+)/i,
    predicate: "allergic to",
    ofAnybody: true,
    fits: isCopula,
  },
  {
    pattern: /^(?<o>lactose|gluten|fructose|histamine)[- ]intolerant/i,
    predicate: "allergic to",
    ofAnybody: true,
    fits: isCopula,
  },
  {
    pattern:
      /^(?:have|has|got|having|developed) (?:an? )?(?:bad |severe |mild |serious |slight )?(?<o>[\w -]+?) (?:allergy|intolerance|sensitivity)\b/i,
    predicate: "allergic to",
    ofAnybody: true,
  },
  {
    pattern: /^(?:can't|cannot|can not) (?:eat|have|drink|tolerate|digest) (?<o>.+)/i,
    predicate: "cannot eat",
    ofAnybody: true,
  },
  {
    pattern:
      /^(?:an? )?(?<o>vegan|vegetarian|pescatarian|pescetarian|flexitarian|keto|gluten[- ]free|dairy[- ]free|halal|kosher|paleo|lactose[- ]free)\b/i,
    predicate: "diet",
    ofAnybody: true,
    fits: isCopula,
  },
  {
    pattern:
      /^(?:went|going|became|become|turned|gone|started|on|follow|follows|following|switched to|eat|eats) (?:an? |the )?(?:strict |mostly )?(?<o>vegan|vegetarian|pescatarian|keto|paleo|gluten[- ]free|dairy[- ]free|low[- ]carb|mediterranean|plant[- ]based|halal|kosher)(?: diet)?\b/i,
    predicate: "diet",
    ofAnybody: true,
  },
  { pattern: /^eat(?:s)? (?<o>.+)/i, predicate: "eats", fits: ({ negated, past }) => negated && !past },
  { pattern: /^drink(?:s)? (?<o>.+)/i, predicate: "drinks", fits: ({ past }) => !past },
  { pattern: /^(?:can't|cannot|can not) stand (?<o>.+)/i, predicate: "dislikes", ofAnybody: true },
  {
    pattern:
      /^(?:like|likes|love|loves|enjoy|enjoys|adore|adores|enjoyed) (?!to (?:know|see|hear|ask|get|have|be|understand|learn|thank|discuss|talk)\b)(?!(?:how|what|when|that|this|these|those|if|your|the way|the idea|the sound)\b)(?<o>.+)/i,
    predicate: "likes",
    ofAnybody: true,
    fits: ({ past }) => !past,
  },
  {
    pattern:
      /^(?:hate|hates|dislike|dislikes|detest|detests|loathe|loathes|despise)s? (?!(?:how|when|that|this|these|those|it|if|to (?:bother|ask|say))\b)(?<o>.+)/i,
    predicate: "dislikes",
    ofAnybody: true,
    fits: ({ past }) => !past,
  },
  {
    pattern: /^(?:(?:an?|the) )?(?:big |huge |great |massive |real |avid )*(?:fan|lover|admirer) of (?<o>.+)/i,
    predicate: "likes",
    ofAnybody: true,
    fits: isCopula,
  },
  {
    pattern: /^(?:into|fond of|crazy about|obsessed with|passionate about|keen on|addicted to|interested in) (?<o>.+)/i,
    predicate: "likes",
    fits: isCopula,
  },
  {
    pattern: /^prefer(?:s|red)? (?!not to (?:say|answer))(?<o>.+)/i,
    predicate: "prefers",
    ofAnybody: true,
    fits: ({ past }) => !past,
  },
  { pattern: /^(?:afraid|scared|terrified) of (?<o>.+)/i, predicate: "fears", fits: isCopula },
  {
    pattern: /^(?:married|engaged)(?: to (?<o>.+))?$/i,
    predicate: ({ o }) => (o === undefined ? "marital status" : "is married to"),
    fits: isCopula,
  },
  { pattern: /^(?<o>single|divorced|widowed|engaged|separated)$/i, predicate: "marital status", fits: isCopula },
  { pattern: /^got (?<o>married|divorced|engaged)\b.*/i, predicate: "marital status", ofAnybody: true },
  {
    pattern: /^(?<o>\d{1,3})(?: years? old| yo|-years?-old)?$/i,
    predicate: "age",
    ofAnybody: true,
    fits: ({ copula, past }) => copula && !past,
  },
  { pattern: /^(?:turned|turning|turns|turn) (?<o>\d{1,3})\b/i, predicate: "age", ofAnybody: true },
  { pattern: /^weigh(?:s|ed)? (?:about |around )?(?<o>\d.+)/i, predicate: "weight", fits: ({ past }) => !past },
  {
    pattern: /^(?<o>\d[\d.,']*(?: ?(?:cm|m|ft|feet|foot|inches|in))[\w' ]*?) tall/i,
    predicate: "height",
    fits: isCopula,
  },
  {
    pattern:
      /^(?:stud(?:y|ies|ying)|major(?:ing|s)? in|doing (?:a|my) (?:degree|masters?|phd|bachelors?) in) (?<o>(?!for\b|hard\b|at\b|this\b|it\b|the (?:code|file|docs?|problem)\b).+?)(?= at | in (?:my|the) |$)/i,
    predicate: "studies",
    fits: ({ past, modal }) => !past && !modal,
  },
  { pattern: /^stud(?:y|ies|ying)(?: .+?)? at (?<o>.+)/i, predicate: "studies at" },
  {
    pattern: /^(?:graduated|got my degree|got my masters?) (?:from|at|in) (?<o>.+)/i,
    predicate: "graduated from",
    event: true,
  },
  {
    pattern: /^(?:learning|taking up|teaching myself|taking (?:classes|lessons|courses) in) (?:how to )?(?<o>.+)/i,
    predicate: "is learning",
    fits: isCopula,
  },
  {
    pattern:
      /^speak(?:s)? (?:fluent |some |a little |a bit of |native )?(?<o>[A-Z]\p{Ll}+(?:(?:,| and|, and) [A-Z]\p{Ll}+)*)/u,
    predicate: "speaks",
  },
  { pattern: /^drive(?:s)? (?<o>an? .+)/i, predicate: "drives", fits: stated },
  { pattern: /^(?:play|plays) (?!around|with)(?<o>.+)/i, predicate: "plays", fits: stated },
  { pattern: /^teach(?:es)? (?<o>(?!you|me|it|us|him|her)\w+.*)/i, predicate: "teaches", fits: stated },
  { pattern: /^practi[cs]es? (?<o>.+)/i, predicate: "practices", fits: stated },
  {
    pattern: /^(?:switched|changed|migrated)(?: over)?(?: from .+?)? to (?:using )?(?<o>.+)/i,
    predicate: "switched to",
    event: true,
  },
  {
    pattern: new RegExp(
      `^(?:have|has|own|owns|got|'ve got) ${NUMBER} (?<thing>(?!question|problem|issue|idea|thing|error|bug|doubt|option|minute|hour|second|point|file|test|line|function|class|column|row|request|task|step|concern|follow)[\\w -]+)`,
      "i",
    ),
    predicate: ({ thing }) =>
      `number of ${thing?.split(/\s+(?:in|at|on|from|with|that|who|named|called|and)\b/)[0] ?? ""}`,
  },
  {
    pattern: new RegExp(
      `^(?<verb>read|run|written|seen|visited|done|made|won|lost|bought|taken|eaten|driven|flown|met|watched|finished|completed|collected|sold|saved|raised|planted|baked|cooked|climbed|attended|tried|learned|learnt|played|published|walked|cycled|earned|received|reached|hit|passed|been to|worked on|gained) (?:about |around |over |only |roughly |almost |nearly |up to |a total of )*${NUMBER} (?<thing>[\\w' -]+)`,
      "i",
    ),
    predicate: ({ verb, thing }) =>
      `number of ${thing?.split(/\s+(?:in|at|on|from|with|that|so far|this|last|already|for|of|by|since|to|now|total)\b/)[0] ?? ""} ${verb ?? ""}`,
    fits: ({ perfect }) => perfect,
  },
  {
    pattern:
      /^(?:have|has) (?:(?:an?|some|severe|chronic|mild|type [12]) )*(?<o>(?:asthma|diabetes|migraines?|arthritis|insomnia|anxiety|adhd|eczema|high blood pressure|celiac|coeliac|hypertension|epilepsy|anemia|vertigo|back pain|sciatica|psoriasis)\b.*)/i,
    predicate: "has",
    ofAnybody: true,
  },
  {
    pattern:
      /^(?:have|has|own|owns|got|keep|'ve got) (?:an? )(?<o>(?:[\w-]+ ){0,3}?(?:dog|cat|puppy|kitten|parrot|horse|rabbit|hamster|fish|turtle|bird|car|bike|bicycle|motorcycle|boat|house|apartment|flat|garden|piano|guitar|violin|camper|van|cabin|shop|store|restaurant|business|company|farm|son|daughter|brother|sister|twin|baby|kid|child|wife|husband|girlfriend|boyfriend|roommate)\b.*)/i,
    predicate: "has",
  },
  {
    pattern:
      /^(?:have|has|'ve got|got) (?<o>(?:an? |my |the )?(?:[\w'-]+ ){0,4}?(?:appointment|interview|flight|exam|deadline|surgery|reservation|booking|wedding|conference|checkup|check-up|presentation|meeting|date|concert|recital|trip|class|session|party)\b.*)/i,
    predicate: "has",
    event: true,
  },
  { pattern: /^us(?:e|es|ing) (?<o>\p{Lu}\S*(?: (?:\p{Lu}|\d)\S*)*)/u, predicate: "uses", fits: stated },
  { pattern: /^(?:been )?diagnosed with (?<o>.+)/i, predicate: "has", ofAnybody: true },
];
