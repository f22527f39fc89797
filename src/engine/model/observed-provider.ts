import { OTHER } from "../../contract/engine/metrics.ts";
import type { Span } from "../../shared/tracing/span.ts";
import { type EngineTelemetry, NO_SCOPE, type Scope } from "../telemetry/engine-telemetry.ts";
import { agentAttributes, chatAttributes, usageAttributes } from "../telemetry/gen-ai-attributes.ts";
import type { CallRecorder, CallRecording, RecordedEnd } from "./call-recorder.ts";
import type { ModelPart, ModelProvider, ModelRequest } from "./model-provider.ts";
import type { CallReport } from "./model-status.ts";
import { sanitizeUsage } from "./model-usage.ts";

/** A provider whose calls are counted, traced and recorded, each with its retries. */
export function observedProvider(
  inner: ModelProvider,
  telemetry: EngineTelemetry,
  recorder: CallRecorder | null = null,
): ModelProvider {
  return {
    name: inner.name,
    stream(request, signal) {
      const call = new ObservedCall(inner.name, request, { telemetry, recorder });
      return call.observe(inner.stream({ ...request, scope: call.scope }, signal));
    },
  };
}

/** Counts a failed attempt of a call that is retried. */
export function observeRetry(provider: string, report: CallReport, { counters }: EngineTelemetry): void {
  if (report.kind !== "retrying") return;
  const { request, failure, tries } = report;
  counters.count("orch_model_retries_total", { provider, model: request.model, reason: failure.kind });
  request.scope?.span.event("retry", { "error.type": failure.kind, "orchd.try": tries });
}

class ObservedCall {
  readonly scope: Scope;
  readonly #span: Span;
  readonly #telemetry: EngineTelemetry;
  readonly #recording: CallRecording | null;
  readonly #labels: { readonly provider: string; readonly model: string };
  readonly #purpose: string;
  readonly #startedAt = performance.now();
  /** Time between a part and the request for the next one, such as while a person answers. It is not the model's. */
  #pausedMs = 0;
  #receivedAt = this.#startedAt;
  #firstMs: number | null = null;
  #hasFirst = false;
  #isOver = false;

  constructor(
    provider: string,
    request: ModelRequest,
    { telemetry, recorder }: { readonly telemetry: EngineTelemetry; readonly recorder: CallRecorder | null },
  ) {
    this.#recording = recorder?.start(provider, request) ?? null;
    const { model, purpose = "turn", maxOutputTokens: maxTokens, scope = NO_SCOPE } = request;
    this.#telemetry = telemetry;
    this.#labels = { provider, model };
    this.#purpose = purpose;
    this.#span = telemetry.tracer.start(`chat ${model}`, {
      kind: "client",
      parent: scope.span,
      attributes: {
        ...chatAttributes({ provider, model, purpose, maxTokens }),
        ...(scope !== NO_SCOPE && agentAttributes(scope.agent, scope.taskId)),
      },
    });
    this.scope = { ...scope, span: this.#span };
  }

  /** A plain iterator: an async generator would add promises to each of thousands of parts. */
  observe(stream: AsyncIterable<ModelPart>): AsyncIterable<ModelPart> {
    const parts = stream[Symbol.asyncIterator]();
    const track = (result: IteratorResult<ModelPart>) => {
      this.#receivedAt = performance.now();
      if (result.done !== true) this.#track(result.value);
      return result;
    };
    const fail = (error: unknown) => {
      this.#end(OTHER, { reason: "fault", usage: null });
      throw error;
    };
    // A request is sent, and sent again, only before the first part.
    const next = () =>
      this.#recording === null || this.#hasFirst ? parts.next() : this.#recording.within(() => parts.next());
    const iterator = {
      next: () => {
        this.#pausedMs += performance.now() - this.#receivedAt;
        return next().then(track, fail);
      },
      return: async () => {
        this.#end("aborted", { reason: "aborted", usage: null });
        await parts.return?.();
        return { done: true, value: undefined } as const;
      },
    };
    return { [Symbol.asyncIterator]: () => iterator };
  }

  #track(part: ModelPart): void {
    if (!this.#hasFirst) this.#first(part);
    if (part.kind !== "done" && part.kind !== "failed") return;
    if (part.usage !== null) this.#countTokens(sanitizeUsage(part.usage));
    if (part.kind === "done") this.#span.set({ "gen_ai.response.finish_reasons": [part.reason] });
    if (part.kind === "done") this.#end(null, part);
    else this.#end(part.failure.kind, { reason: part.failure.kind, usage: part.usage });
  }

  #first({ kind }: ModelPart): void {
    this.#hasFirst = true;
    if (kind === "failed") return;
    this.#firstMs = this.#receivedAt - this.#startedAt;
    const seconds = this.#firstMs / 1000;
    this.#telemetry.counters.observe("orch_model_first_token_seconds", this.#labels, seconds);
    this.#span.set({ "gen_ai.response.time_to_first_chunk": seconds });
  }

  #countTokens(usage: ReturnType<typeof sanitizeUsage>): void {
    const { counters } = this.#telemetry;
    const labels = { ...this.#labels, purpose: this.#purpose };
    counters.count("orch_model_tokens_total", { ...labels, kind: "input" }, usage.inputTokens);
    counters.count("orch_model_tokens_total", { ...labels, kind: "output" }, usage.outputTokens);
    counters.count("orch_model_tokens_total", { ...labels, kind: "cached" }, usage.cacheHitTokens);
    this.#span.set(usageAttributes(usage));
  }

  #end(failure: string | null, { reason, usage }: Pick<RecordedEnd, "reason" | "usage">): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const { counters } = this.#telemetry;
    const outcome = failure === null ? "completed" : failure === "aborted" ? "aborted" : "failed";
    const label = outcome === "failed" && failure !== null ? failure : "none";
    counters.count("orch_model_calls_total", { ...this.#labels, purpose: this.#purpose, outcome, reason: label });
    const tookMs = performance.now() - this.#startedAt - this.#pausedMs;
    counters.observe("orch_model_call_seconds", this.#labels, tookMs / 1000);
    this.#span.end(failure);
    this.#recording?.end({ outcome, reason, usage, tookMs, firstMs: this.#firstMs });
  }
}
