import type { Logger } from "../../shared/logger.ts";
import { EngineError } from "../engine-error.ts";
import { requestTokens } from "../model/context-window.ts";
import type { ShowAttachments } from "../model/attachments/show-attachments.ts";
import type { ModelFailure, ModelProvider, ModelRequest, ModelUsage } from "../model/model-provider.ts";
import { type ContextLimits, clearThrough, contextLimits, cutThrough } from "./compaction-plan.ts";
import { storedTokens } from "./stored-tokens.ts";
import { type CompactionRecord, shownConversation } from "./compaction-record.ts";
import { summarise } from "./compaction-summary.ts";
import { type StateSection, summaryText } from "./compaction-text.ts";
import { ContextMeter } from "./context-meter.ts";
import { type MessageRow, callsOf, modelMessages } from "./conversation.ts";
import { DigestCache, factDigest } from "./fact-digest.ts";
import type { TurnContext } from "./turn-context.ts";

/** A compaction must remove at least a tenth, since it invalidates the provider's prompt cache. */
const WORTH_IT = 0.9;
/** No summary is made when clearing results brings the context below this share of the limit. */
const ROOMY = 0.75;
const MAX_FAILURES = 3;
const FACTS_SHARE = 0.15;
const MAX_FACTS_LENGTH = 24_000;

export interface CompactorParts {
  readonly provider: ModelProvider;
  readonly lightModel: string;
  /** The configured or known context window of a model, in tokens. */
  readonly windowOf: (model: string) => number;
  /** Whether a model failed a short time ago: others summarise before it. */
  readonly coolsDown?: (model: string) => boolean;
  /** Whether to compact and retry when the provider rejects a request as too long. */
  readonly reactive: boolean;
  /** Decides which attachments the model is shown. */
  readonly showAttachments?: ShowAttachments;
  /** State kept outside the transcript. */
  state(taskId: string): readonly StateSection[];
  readonly logger: Logger;
}

export interface Compactor {
  /** Returns the request to send, compacted if needed. Throws `COMPACTION_FAILED` when it cannot fit the window. */
  fit(request: ModelRequest, context: TurnContext): Promise<ModelRequest>;
  /** Calibrates the token estimate with the provider's count of a sent request. */
  measured(request: ModelRequest, usage: ModelUsage, context: TurnContext): void;
  /** Returns a smaller request after the provider rejected one as too long; null when there is none. */
  shrink(request: ModelRequest, failure: ModelFailure, context: TurnContext): Promise<ModelRequest | null>;
}

type Priority = NonNullable<ModelRequest["priority"]>;

/** Intermediate state of a compaction. */
interface Draft {
  readonly record: CompactionRecord | null;
  readonly full: ModelRequest;
  readonly request: ModelRequest;
  readonly tokens: number;
}

export class ContextCompactor implements Compactor {
  readonly #parts: CompactorParts;
  readonly #meter: ContextMeter;
  readonly #digests = new DigestCache();

  constructor(parts: CompactorParts) {
    this.#parts = parts;
    this.#meter = new ContextMeter(parts.windowOf);
  }

  async fit(full: ModelRequest, context: TurnContext): Promise<ModelRequest> {
    const draft = this.#draftOf(full, context);
    const { tokens, request } = draft;
    const limits = this.#limitsOf(full);
    const { failures, futileAt } = this.#meter.of(context.log.conversation);
    this.#parts.logger.debug(
      {
        turn_id: context.turnId,
        messages: full.messages.length,
        shown: request.messages.length,
        summarised: (draft.record?.summarisedThrough ?? 0) > 0,
        tokens,
        compact_at: limits.compactAt,
        limit: limits.most,
      },
      "context assembled",
    );
    if (tokens <= limits.compactAt) return request;
    const isFutile = failures >= MAX_FAILURES || tokens * WORTH_IT < futileAt;
    if (isFutile && tokens <= limits.most) return request;
    const compacted = await this.#compact(draft, { ...limits, forced: false }, context);
    if (this.#isTooLarge(compacted))
      throw failed(compacted, { most: limits.most, reason: "nothing more can be removed" });
    return compacted.request;
  }

  measured(request: ModelRequest, usage: ModelUsage, { log }: TurnContext): void {
    this.#meter.measured(log.conversation, request, usage);
  }

  async shrink(full: ModelRequest, failure: ModelFailure, context: TurnContext): Promise<ModelRequest | null> {
    if (!this.#parts.reactive || failure.kind !== "too_long") return null;
    if (failure.window !== undefined) this.#meter.learnWindow(full.model, failure.window);
    const draft = this.#draftOf(full, context);
    const limits = this.#limitsOf(full);
    const most = Math.min(limits.most, draft.tokens);
    const compactAt = Math.min(limits.compactAt, most);
    const compacted = await this.#compact(draft, { compactAt, most, forced: true }, context);
    return compacted.tokens < draft.tokens ? { ...compacted.request, shortened: true } : null;
  }

  #limitsOf({ model, maxOutputTokens }: ModelRequest): ContextLimits {
    return contextLimits(this.#meter.window(model), maxOutputTokens);
  }

  /** A learned scale or window may be wrong. Unless our own estimate agrees, the request is sent, which corrects it. */
  #isTooLarge({ request, tokens }: Draft): boolean {
    const { most } = contextLimits(this.#meter.knownWindow(request.model), request.maxOutputTokens);
    return Math.min(tokens, requestTokens(request)) > most;
  }

  #draftOf(full: ModelRequest, { log }: TurnContext, record = log.compaction()): Draft {
    const shown = () => {
      const messages = modelMessages(shownConversation(log.messages(), record, this.#digests.of));
      return { ...full, messages: this.#parts.showAttachments?.(messages, full.model) ?? messages };
    };
    const request = record === null ? full : shown();
    return { record, full, request, tokens: this.#meter.tokens(log.conversation, request) };
  }

  /** Stores a new compaction record, unless it removes too little. */
  #change(draft: Draft, wanted: Partial<CompactionRecord>, context: TurnContext): Draft {
    const beforeTokens = draft.tokens;
    const record = { ...EMPTY, ...draft.record, ...wanted, beforeTokens };
    const next = this.#draftOf(draft.full, context, record);
    if (next.tokens > beforeTokens * WORTH_IT) return draft;
    const stored = { ...record, afterTokens: next.tokens };
    context.log.compacted(stored);
    return { ...next, record: stored };
  }

  async #summarised(
    draft: Draft,
    { room, priority }: { readonly room: number; readonly priority: Priority },
    context: TurnContext,
  ): Promise<Draft | ModelFailure> {
    const { record, full } = draft;
    const messages = context.log.messages();
    const unsummarised = messages.filter(({ id }) => id > (record?.summarisedThrough ?? 0));
    const cut = cutThrough(unsummarised, room);
    if (cut === null) return draft;
    const left = unsummarised.filter(({ id }) => id <= cut);
    const place = cutAt(messages, cut);
    // Summarising only the user message gains nothing: it is shown after the summary.
    if (left.every(({ id }) => id > place.record.hiddenThrough && id <= place.askedId)) return draft;
    const { lightModel, coolsDown = () => false } = this.#parts;
    const models = [...new Set([lightModel, full.model])]
      .toSorted((left, right) => Number(coolsDown(left)) - Number(coolsDown(right)))
      .map((model) => ({ model, window: this.#meter.window(model) }));
    const outcome = await summarise(
      { before: record?.gist ?? "", messages: left, models },
      { provider: this.#parts.provider, priority, ...context },
    );
    context.signal.throwIfAborted();
    if (outcome.kind === "failed") return outcome.failure;
    const roomForFacts = Math.min(MAX_FACTS_LENGTH, Math.floor(this.#limitsOf(full).compactAt * FACTS_SHARE * 4));
    const facts = factDigest(record?.facts ?? [], left, roomForFacts);
    const turns = turnsOf(record, left);
    const state = this.#parts.state(context.taskId);
    const summary = summaryText({ turns, callsMade: place.callsMade, state, summary: outcome.text, facts });
    const leftOut = [...new Set(left.map(({ turnId }) => turnId))];
    return this.#change(
      draft,
      { strategy: "summary", ...place.record, summary, gist: outcome.text, facts, turns, leftOut },
      context,
    );
  }

  /** Applies the cheapest reduction first: clear old results, then summarise, then clear all results. */
  async #compact(
    start: Draft,
    { compactAt, most, forced }: ContextLimits & { readonly forced: boolean },
    context: TurnContext,
  ): Promise<Draft> {
    const { log } = context;
    const measure = this.#meter.of(log.conversation);
    const scale = this.#meter.scale(log.conversation, start.full.model);
    const room = forced ? storedTokens(log.messages()) : compactAt / scale;
    const clear = (draft: Draft, through: number) =>
      through <= (draft.record?.clearedThrough ?? 0)
        ? draft
        : this.#change(draft, { strategy: "structured_extraction", clearedThrough: through }, context);
    let draft = clear(start, clearThrough(log.messages(), room));
    if (forced || draft.tokens > compactAt * ROOMY) {
      // A summary that the turn does not need yet runs at low priority.
      const priority = forced || draft.tokens > most ? "interactive" : "background";
      const outcome = await this.#summarised(draft, { room, priority }, context);
      if ("request" in outcome) draft = outcome;
      measure.failures = "request" in outcome ? 0 : measure.failures + 1;
      if (!("request" in outcome)) {
        const reason = "message" in outcome ? outcome.message : outcome.kind;
        this.#parts.logger.warn(
          { turn_id: context.turnId, reason, tokens: draft.tokens, limit: most },
          "failed to summarise the conversation",
        );
        if (this.#isTooLarge(draft)) throw failed(draft, { most, reason });
      }
    }
    if (draft.tokens > most) draft = clear(draft, log.messages().at(-1)?.id ?? 0);
    measure.futileAt = draft.tokens > start.tokens * WORTH_IT ? draft.tokens : 0;
    return draft;
  }
}

/** Where a cut falls. When it splits a turn, that turn's user message is shown after the summary. */
function cutAt(messages: readonly MessageRow[], cut: number) {
  const asked = messages.findLast(({ id, role }) => role === "user" && id <= cut);
  const insideTurn = asked !== undefined && messages.find(({ id }) => id > cut)?.role !== "user";
  return {
    record: { summarisedThrough: cut, hiddenThrough: insideTurn ? asked.id - 1 : cut },
    askedId: insideTurn ? asked.id : 0,
    callsMade: insideTurn ? callsOf(messages.filter(({ id }) => id > asked.id && id <= cut)).length : 0,
  };
}

function turnsOf(record: CompactionRecord | null, left: readonly MessageRow[]): CompactionRecord["turns"] {
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
  new EngineError("COMPACTION_FAILED", `the context does not fit the model's window: ${reason}`, {
    tokens,
    limit: most,
  });
