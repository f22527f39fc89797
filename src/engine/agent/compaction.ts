import type { Logger } from "../../shared/logger.ts";
import { EngineError } from "../engine-error.ts";
import type { ModelFailure, ModelProvider, ModelRequest, ModelUsage } from "../model/model-provider.ts";
import { requestTokens, valueTokens } from "../model/token-estimate.ts";
import { type ContextLimits, clearThrough, contextLimits, cutThrough } from "./compaction-plan.ts";
import { type CompactionRecord, shownConversation } from "./compaction-record.ts";
import { summarise } from "./compaction-summary.ts";
import { type StateSection, summaryText } from "./compaction-text.ts";
import { ContextMeter } from "./context-meter.ts";
import { modelMessages } from "./conversation.ts";
import { type PlacedMessage, callsOf } from "./conversation-units.ts";
import { DigestCache } from "./digest-cache.ts";
import { factDigest } from "./fact-digest.ts";
import type { TurnContext } from "./turn-context.ts";

/** A gain that is not worth the loss of the cache: less than a tenth. */
const WORTH_IT = 0.9;
/** After clearing results, room enough to go on for a while without a summary. */
const ROOMY = 0.75;
const FAILURES_BORNE = 3;
const FACTS_SHARE = 0.15;
const MOST_FACTS = 24_000;

export interface CompactorParts {
  readonly provider: ModelProvider;
  readonly lightModel: string;
  /** As the operator says; null where what is known of a model decides. */
  readonly window: number | null;
  /** Whether a provider's "too long" is answered with a smaller request. */
  readonly reactive: boolean;
  /** What is kept outside the transcript. */
  state(taskId: string): readonly StateSection[];
  readonly logger: Logger;
}

export interface Compactor {
  /** Before each model call: the request as it is to be sent. Throws `COMPACTION_FAILED` when it cannot be made to fit. */
  fit(request: ModelRequest, context: TurnContext): Promise<ModelRequest>;
  /** The provider has said how large a request was. */
  measured(request: ModelRequest, usage: ModelUsage, context: TurnContext): void;
  /** The provider would not take a request: a smaller one, null when there is none. */
  shrink(request: ModelRequest, failure: ModelFailure, context: TurnContext): Promise<ModelRequest | null>;
}

type Priority = NonNullable<ModelRequest["priority"]>;

/** What is being made smaller, as far as it has come. */
interface Draft {
  readonly record: CompactionRecord | null;
  readonly whole: ModelRequest;
  readonly request: ModelRequest;
  readonly tokens: number;
}

export function createCompactor(parts: CompactorParts): Compactor {
  const { logger } = parts;
  const meter = new ContextMeter(parts.window);
  const digests = new DigestCache();
  const limitsOf = ({ model, maxOutputTokens }: ModelRequest) => contextLimits(meter.window(model), maxOutputTokens);

  /** A provider's own counts and limits may be wrong: they alone are no reason not to ask it, and so to be corrected. */
  const isTooLarge = ({ request, tokens }: Draft): boolean => {
    const { most } = contextLimits(meter.knownWindow(request.model), request.maxOutputTokens);
    return Math.min(tokens, requestTokens(request)) > most;
  };

  const draftOf = (whole: ModelRequest, { log }: TurnContext, record = log.compaction()): Draft => {
    const request =
      record === null
        ? whole
        : { ...whole, messages: modelMessages(shownConversation(log.messages(), record, digests.of)) };
    return { record, whole, request, tokens: meter.tokens(log.conversation, request) };
  };

  /** Stores how the conversation is shown from now on; leaves it as it is where that gains too little. */
  const change = (draft: Draft, wanted: Partial<CompactionRecord>, context: TurnContext): Draft => {
    const beforeTokens = draft.tokens;
    const record = { ...EMPTY, ...draft.record, ...wanted, beforeTokens };
    const next = draftOf(draft.whole, context, record);
    if (next.tokens > beforeTokens * WORTH_IT) return draft;
    const told = { ...record, afterTokens: next.tokens };
    context.log.compacted(told);
    return { ...next, record: told };
  };

  const summarised = async (
    draft: Draft,
    { room, priority }: { readonly room: number; readonly priority: Priority },
    context: TurnContext,
  ): Promise<Draft | ModelFailure> => {
    const { record, whole } = draft;
    const messages = context.log.messages();
    const behind = messages.filter(({ id }) => id > (record?.summarisedThrough ?? 0));
    const cut = cutThrough(behind, room);
    if (cut === null) return draft;
    const left = behind.filter(({ id }) => id <= cut);
    const place = cutAt(messages, cut);
    // What was asked is shown all the same.
    if (left.every(({ id }) => id > place.record.hiddenThrough && id <= place.askedId)) return draft;
    const models = [...new Set([parts.lightModel, whole.model])].map((model) => ({
      model,
      window: meter.window(model),
    }));
    const outcome = await summarise(
      { before: record?.gist ?? "", messages: left, models },
      { provider: parts.provider, priority, ...context },
    );
    context.signal.throwIfAborted();
    if (outcome.kind === "failed") return outcome.failure;
    const roomForFacts = Math.min(MOST_FACTS, Math.floor(limitsOf(whole).compactAt * FACTS_SHARE * 4));
    const facts = factDigest(record?.facts ?? [], left, roomForFacts);
    const turns = turnsOf(record, left);
    const state = parts.state(context.taskId);
    const summary = summaryText({ turns, callsMade: place.callsMade, state, summary: outcome.text, facts });
    const leftOut = [...new Set(left.map(({ turnId }) => turnId))];
    return change(
      draft,
      { strategy: "summary", ...place.record, summary, gist: outcome.text, facts, turns, leftOut },
      context,
    );
  };

  /** As much as is needed, in order of what is lost by it. */
  const compact = async (
    start: Draft,
    { compactAt, most, forced }: ContextLimits & { readonly forced: boolean },
    context: TurnContext,
  ): Promise<Draft> => {
    const { log } = context;
    const measure = meter.of(log.conversation);
    const room = forced ? valueTokens(log.messages()) : compactAt / meter.scale(log.conversation, start.whole.model);
    const clear = (draft: Draft, through: number) =>
      through <= (draft.record?.clearedThrough ?? 0)
        ? draft
        : change(draft, { strategy: "structured_extraction", clearedThrough: through }, context);
    let draft = clear(start, clearThrough(log.messages(), room));
    if (forced || draft.tokens > compactAt * ROOMY) {
      // One that the turn can go on without gives way to other calls.
      const priority = forced || draft.tokens > most ? "interactive" : "background";
      const outcome = await summarised(draft, { room, priority }, context);
      if ("request" in outcome) draft = outcome;
      measure.failures = "request" in outcome ? 0 : measure.failures + 1;
      if (!("request" in outcome)) {
        const reason = "message" in outcome ? outcome.message : outcome.kind;
        logger.warn({ turn_id: context.turnId, reason, tokens: draft.tokens, limit: most }, "no summary was made");
        if (isTooLarge(draft)) throw failed(draft, { most, reason });
      }
    }
    if (draft.tokens > most) draft = clear(draft, log.messages().at(-1)?.id ?? 0);
    measure.vainAt = draft.tokens > start.tokens * WORTH_IT ? draft.tokens : 0;
    return draft;
  };

  return {
    async fit(whole, context) {
      const draft = draftOf(whole, context);
      const { tokens, request } = draft;
      const limits = limitsOf(whole);
      const { failures, vainAt } = meter.of(context.log.conversation);
      logger.debug(
        {
          turn_id: context.turnId,
          messages: whole.messages.length,
          shown: request.messages.length,
          summarised: (draft.record?.summarisedThrough ?? 0) > 0,
          tokens,
          compact_at: limits.compactAt,
          limit: limits.most,
        },
        "context assembled",
      );
      if (tokens <= limits.compactAt) return request;
      const hopeless = failures >= FAILURES_BORNE || tokens * WORTH_IT < vainAt;
      if (hopeless && tokens <= limits.most) return request;
      const made = await compact(draft, { ...limits, forced: false }, context);
      if (isTooLarge(made)) throw failed(made, { most: limits.most, reason: "nothing more can be left out" });
      return made.request;
    },
    measured(request, usage, { log }) {
      meter.measured(log.conversation, request, usage);
    },
    async shrink(whole, failure, context) {
      if (!parts.reactive || failure.kind !== "too_long") return null;
      if (failure.window !== undefined) meter.learnWindow(whole.model, failure.window);
      const draft = draftOf(whole, context);
      const limits = limitsOf(whole);
      const most = Math.min(limits.most, draft.tokens);
      const made = await compact(draft, { compactAt: Math.min(limits.compactAt, most), most, forced: true }, context);
      return made.tokens < draft.tokens ? { ...made.request, shortened: true } : null;
    },
  };
}

/** What is stored of the place of a cut; where it is inside a turn, what that was asked is shown behind the summary. */
function cutAt(messages: readonly PlacedMessage[], cut: number) {
  const asked = messages.findLast(({ id, role }) => role === "user" && id <= cut);
  const insideTurn = asked !== undefined && messages.find(({ id }) => id > cut)?.role !== "user";
  return {
    record: { summarisedThrough: cut, hiddenThrough: insideTurn ? asked.id - 1 : cut },
    askedId: insideTurn ? asked.id : 0,
    callsMade: insideTurn ? callsOf(messages.filter(({ id }) => id > asked.id && id <= cut)).length : 0,
  };
}

function turnsOf(record: CompactionRecord | null, left: readonly PlacedMessage[]): CompactionRecord["turns"] {
  const ids = [...new Set(left.map(({ turnId }) => turnId))];
  const [first = "", last = ""] = [ids[0], ids.at(-1)];
  const before = record?.turns;
  if (!before) return { first, last, count: ids.length };
  return { first: before.first, last, count: before.count + ids.length - (before.last === first ? 1 : 0) };
}

const EMPTY: CompactionRecord = {
  strategy: "summary",
  clearedThrough: 0,
  summarisedThrough: 0,
  hiddenThrough: 0,
  summary: "",
  gist: "",
  facts: [],
  turns: null,
  leftOut: [],
  beforeTokens: 0,
  afterTokens: 0,
};

const failed = ({ tokens }: Draft, { most, reason }: { readonly most: number; readonly reason: string }): EngineError =>
  new EngineError("COMPACTION_FAILED", `the context could not be made small enough: ${reason}`, {
    tokens,
    limit: most,
  });
