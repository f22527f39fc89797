import { attributeIn } from "./attributes.ts";
import type { Clause } from "./clauses.ts";
import { eventIn, isOfTheTurn } from "./event-verbs.ts";
import { KIN, NAME, kinType, plainRelation, severalNamed } from "./kin.ts";
import { objectWords } from "./object-words.ts";
import { isNation, isProfession } from "./professions.ts";
import type { Speaking, Subject } from "./speaking.ts";
import type { Statement } from "./statement.ts";
import { type VerbPhrase, verbPhrase } from "./verb-phrase.ts";
import { VERB_RULES } from "./verbs.ts";
import { wishIn } from "./wishes.ts";

/** All that a clause says of the user and of those they speak of. */
export function statementsIn(clause: Clause, speaking: Speaking): readonly Statement[] {
  speaking.hear(clause.text);
  const found = [...introduced(clause), ...counted(clause), ...wishIn(clause), ...said(clause, speaking)];
  if (found.length > 0 || !clause.toRemember) return found;
  const object = objectWords(clause.text);
  return object === null || object.split(" ").length < 2
    ? []
    : [{ subject: "user", predicate: "to remember", verb: "asked to remember:", object, isTimed: true, clause }];
}

function said(clause: Clause, speaking: Speaking): readonly Statement[] {
  const subject = speaking.subjectOf(clause.text);
  if (subject === null || (subject.name.startsWith("user's ") && !subject.owns)) {
    const own = /^(?:my|our) (?<rest>.+)/i.exec(clause.text)?.groups?.["rest"];
    const attribute =
      own === undefined ? [] : attributeOf({ name: "user", rest: own, owns: true, stranger: false }, clause);
    if (attribute.length > 0) return attribute;
  }
  if (subject === null) return [];
  if (subject.owns) return attributeOf(subject, clause);
  return verbOf(subject, clause);
}

function attributeOf({ name, rest }: Subject, clause: Clause): readonly Statement[] {
  const found = attributeIn(rest);
  if (found === null || found.past) return [];
  const { of, predicate, object, negated, single, isVerb } = found;
  const owner = [name, ...of].join("'s ");
  if (predicate === "plan")
    return [
      { subject: owner, predicate: "plans to", object: object.replace(/^to /, ""), clause, event: true, past: false },
    ];
  return [
    {
      subject: owner,
      predicate: predicate.toLowerCase(),
      object,
      isAttribute: !isVerb,
      isTimed: isVerb,
      negated,
      single,
      clause,
    },
  ];
}

function verbOf(subject: Subject, clause: Clause): readonly Statement[] {
  const phrase = verbPhrase(subject.rest);
  if (phrase.modal) return [];
  const found: Statement[] = [];
  for (const rule of VERB_RULES) {
    if (subject.stranger && rule.ofAnybody !== true) continue;
    const groups = rule.pattern.exec(phrase.rest)?.groups ?? (rule.pattern.test(phrase.rest) ? {} : null);
    if (groups === null || rule.fits?.(phrase) === false) continue;
    const predicate = typeof rule.predicate === "string" ? rule.predicate : rule.predicate(groups);
    const object = groups["n"] ?? groups["o"] ?? phrase.rest.split(" ")[0] ?? "";
    if (rule.named === true && !/^\p{Lu}/u.test(object)) continue;
    if (predicate === "" || object === "" || (/^(?:the|your|this|that)\b/i.test(object) && isOfTheTurn(object)))
      continue;
    const negated =
      rule.negates === true ? !phrase.negated : phrase.negated || (phrase.formerly && predicate !== "lived in");
    found.push({
      subject: subject.name,
      predicate,
      object,
      negated,
      clause,
      ...(rule.event === true && { event: true }),
      ...(groups["n"] !== undefined && { isAttribute: true }),
      past: phrase.past || phrase.perfect || rule.event === true || isPastVerb(phrase.rest),
    });
    const more =
      groups["n"] === undefined
        ? undefined
        : / and (?<rest>(?:\d+|two|three|four|five|six) .+)/.exec(phrase.rest)?.groups?.["rest"];
    if (more !== undefined) found.push(...verbOf({ ...subject, rest: `have ${more}` }, clause));
    if (predicate !== "works as" && predicate !== "works at") return found;
  }
  if (found.length > 0) return found;
  return [
    ...complement(subject, phrase, clause),
    ...coming(subject, phrase, clause),
    ...done(subject, phrase, clause),
  ].slice(0, 1);
}

const isPastVerb = (rest: string): boolean => /^\w+(?:ed|ought|ot|eft|an|ook|ent|old)\b/i.test(rest);

/** "I'm a nurse", "Rex is a golden retriever", "I'm Maria". */
function complement(
  { name, stranger }: Subject,
  { rest, copula, past, negated }: VerbPhrase,
  clause: Clause,
): readonly Statement[] {
  if (!copula || past || stranger) return [];
  const kind =
    /^an? (?<o>(?!bit|little|lot|few|huge|big|good idea|fan|beginner|newbie|noob|problem|shame|pain|way|mess|great|nice|pleasure|follow|quick|couple)[\p{L}][\p{L}\d' -]+)/iu.exec(
      rest,
    )?.groups?.["o"];
  if (kind !== undefined) {
    const predicate = isProfession(kind) ? "works as" : "is";
    return [{ subject: name, predicate, verb: "is a", object: kind, negated, clause }];
  }
  if (isNation(rest)) return [{ subject: name, predicate: "is from", verb: "is", object: rest, negated, clause }];
  if (name === "user" && !negated && new RegExp(`^(?:${NAME})$`, "u").test(rest) && rest.split(" ").length < 4)
    return [{ subject: name, predicate: "name", isAttribute: true, object: rest, clause }];
  return [];
}

const OF_LIFE =
  /^(?:visit|travel|fly|go(?! (?:ahead|with|over|through|back to (?:the|my))\b)|move|buy|sell|get (?:married|engaged|a (?:dog|cat|new|puppy|job|car))|adopt|start (?:a|my|learning|working|school|university)|join|attend|take (?:a trip|the train|part|up|my|swimming|piano|dance|time off)|run (?:a|the|my)|marry|retire|graduate|learn|study|quit|leave (?:for|my|on)|host|celebrate|meet|see|have (?:a|an|my|surgery|dinner|lunch)|apply (?:for|to)|propose|renovate|build a|plant|climb|hike|cycle|spend|save|train for|volunteer|open a|launch|publish)\b/i;
const GOING =
  /^(?:visiting|travell?ing|flying|going|getting (?:married|engaged|divorced|a (?:dog|cat|puppy|new|divorce|promotion))|moving|starting|joining|attending|taking|running (?:a|the|my)|leaving (?:for|on)|hosting|having (?:a|an|my|surgery|dinner|lunch)|meeting|seeing|expecting|training for|saving (?:up )?for|retiring|graduating)\b/i;

/** What somebody means to do. */
function coming(
  { name, stranger }: Subject,
  { rest, future, copula, past, negated }: VerbPhrase,
  clause: Clause,
): readonly Statement[] {
  if (past || stranger) return [];
  const planned =
    /^(?:plan|plans|planning|hope|hopes|hoping|intend|intends|aim|aims|preparing|getting ready) (?:to |on |for )?(?<o>.+)/i.exec(
      rest,
    )?.groups?.["o"];
  const object = planned ?? ((future && OF_LIFE.test(rest)) || (copula && GOING.test(rest)) ? rest : null);
  if (object === null || (planned !== undefined && !OF_LIFE.test(planned) && !/ing\b|^an? /.test(planned))) return [];
  const verb = /^\w+ing\b/.test(object) ? "is planning:" : "plans to";
  return [{ subject: name, predicate: "plans to", verb, object, negated, event: true, past: false, clause }];
}

/** What somebody did. */
function done(
  { name, stranger }: Subject,
  { rest, copula, future, negated }: VerbPhrase,
  clause: Clause,
): readonly Statement[] {
  if (copula || future || negated || stranger) return [];
  const decided =
    /^(?:decided|agreed|settled|chose|chosen|opted|resolved|committed|going with|went with)(?: together)? (?:to |on |upon |that |for )?(?<o>.+)/i.exec(
      rest,
    )?.groups?.["o"];
  if (decided !== undefined)
    return [
      { subject: name, predicate: "decided", verb: "decided:", object: decided, isTimed: true, past: false, clause },
    ];
  const event = eventIn(rest);
  if (event === null) return [];
  return [{ subject: name, predicate: event.predicate, verb: event.verb, object: event.object, event: true, clause }];
}

const KIN_NAMED = new RegExp(
  `\\b(?:[Mm]y|[Oo]ur) (?<kin>${KIN})(?:,? (?:(?:named|called) |is (?:now |called |named )?)?|['’]s name is )(?<name>${NAME})`,
  "u",
);

/** Who somebody is to the user, where a clause names both. */
function introduced(clause: Clause): readonly Statement[] {
  const { kin = "", name = "" } = KIN_NAMED.exec(clause.text)?.groups ?? {};
  const isKin = new RegExp(`^(?<name>${NAME}),? is (?:my|our|one of my) (?<kin>${KIN})s?\\b`, "u").exec(
    clause.text,
  )?.groups;
  const [who, relation] =
    isKin === undefined ? [name, plainRelation(kin)] : [isKin["name"] ?? "", plainRelation(isKin["kin"] ?? "")];
  if (who === "" || !/^\p{Lu}/u.test(who) || !/\p{Ll}/u.test(who)) return [];
  const isAnimal = kinType(relation) === "animal";
  return [
    isAnimal
      ? { subject: `user's ${relation}`, predicate: "name", object: who, isAttribute: true, isTimeless: true, clause }
      : { subject: "user", predicate: relation, object: who, isAttribute: true, isTimeless: true, clause },
  ];
}

/** "I have two kids, Ben and Mia". */
const counted = (clause: Clause): readonly Statement[] =>
  severalNamed(clause.text).map(({ name, relation }) => ({
    subject: "user",
    predicate: relation,
    object: name,
    isAttribute: true,
    isTimeless: true,
    single: false,
    clause,
  }));
