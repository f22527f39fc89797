/** Verbs of what somebody did once: in the past, or perfect. Each with the predicate they are kept under. */
const EVENT_VERBS: Readonly<Record<string, string>> = {
  "bought|purchased|ordered|picked up": "bought",
  "(?:got|received)(?= (?:an?|my|our|the|two|three|\\d+) )": "got",
  "had(?= (?:an?|my|our) (?:[\\w-]+ ){0,3}(?:surgery|operation|accident|baby|interview|miscarriage|stroke|heart attack|checkup|check-up|scan|appointment|party|wedding|exam|picnic|barbecue|concert)\\b)":
    "had",
  "went to|visited|travell?ed to|flew to|toured|been to|drove to|took a trip to|took a (?:day|road|weekend) trip to|stayed in|stayed at|got back from|came back from|returned from|vacationed in":
    "visited",
  "attended|went to see|participated in|took part in|volunteered at|volunteered for": "attended",
  "watched|saw|binge-watched": "watched",
  read: "read",
  "finished|completed|wrapped up": "finished",
  "started|began|took up": "started",
  "adopted|rescued": "adopted",
  sold: "sold",
  lost: "lost",
  "broke|sprained|injured|hurt|fractured": "injured",
  "booked|reserved|scheduled": "booked",
  "signed up for|enrolled in|registered for|subscribed to": "signed up for",
  "cancelled|canceled|unsubscribed from": "cancelled",
  joined: "joined",
  planted: "planted",
  "baked|cooked|made": "made",
  "built|assembled": "built",
  "painted|renovated|redecorated|repaired|fixed|replaced|upgraded|serviced": "worked on",
  "installed|set up": "set up",
  won: "won",
  "ran|hiked|cycled|biked|swam|climbed|jogged|walked": "did",
  "paid|spent|donated|raised|saved|earned|invested": "paid",
  "met|met up with|ran into|had (?:dinner|lunch|coffee|breakfast|drinks|brunch) with|caught up with": "met",
  celebrated: "celebrated",
  hired: "hired",
  "tried(?! \\w+ing\\b| to\\b)": "tried",
  "gave|gifted|lent": "gave",
  "borrowed|rented|leased": "rented",
  "passed|failed": "passed",
  "submitted|published|presented|wrote": "wrote",
  "launched|opened|founded": "launched",
  "quit|gave up": "quit",
  "invited|hosted|organi[sz]ed|threw": "hosted",
  "switched to": "switched to",
};

const RULES = Object.entries(EVENT_VERBS).map(
  ([verbs, predicate]) => [new RegExp(`^(?<verb>${verbs}) (?<o>.+)`, "i"), predicate] as const,
);

/** What a turn's own business is: the code, the files and the questions that are being worked on. */
const PASSING =
  /\b(?:error|exception|bug|issue|problem|question|stack ?trace|warning|message|code|function|script|test|tests|file|files|folder|docs?|documentation|commit|branch|merge|build|log|logs|output|result|results|answer|typo|mistake|sense|sure|idea|stuck|lost|confused|change|changes|edit|edits|version|package|dependency|terminal|command|server|database|query|endpoint|library|sentence|paragraph|draft|point|list|table|column|row|progress|decision|time|attention|help|look|feeling|impression|wrong|right|better|worse|up|through|it|this|that|them|you|used|rid|ready|going|started|done|back|minutes?|hours?|seconds?|email|e-mail|mail|letter|pull request|pr|example|option|approach|step|steps)\b/i;

/** Whether words are of what is being worked on. */
export const isOfTheTurn = (words: string): boolean => PASSING.test(words);

export interface EventFound {
  readonly predicate: string;
  readonly verb: string;
  readonly object: string;
}

/** What somebody did, where it says something of them. */
export function eventIn(rest: string): EventFound | null {
  for (const [pattern, predicate] of RULES) {
    const { verb, o } = pattern.exec(rest)?.groups ?? {};
    if (verb === undefined || o === undefined) continue;
    const head =
      o.split(/\s+(?:at|on|in|from|with|for|to|last|this|yesterday|today|near|by|during|after|before)\b/i)[0] ?? o;
    if (PASSING.test(head)) return null;
    return { predicate, verb: verb.toLowerCase(), object: o };
  }
  return null;
}
