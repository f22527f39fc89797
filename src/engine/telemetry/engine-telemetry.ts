import type { EngineErrorCode } from "../../contract/engine/errors.ts";
import { TOOL_LABELS, type ToolFailure, type ToolLabel, type ToolRefusal } from "../../contract/engine/metrics.ts";
import { NO_SPAN, NO_TRACER, type Span, type Tracer } from "../../shared/tracing/span.ts";
import { EngineCounters } from "./engine-counters.ts";
import { type TokenUsage, agentAttributes, toolAttributes, usageAttributes } from "./gen-ai-attributes.ts";

/** Where an operation belongs: the span around it, its task, its turn and its agent. */
export interface Scope {
  readonly span: Span;
  readonly taskId: string;
  readonly turnId: string;
  readonly agent: string;
}

/** An operation inside of which others run. */
export interface Observed<Failure> {
  readonly scope: Scope;
  end(failure: Failure | null): void;
}

/** The trace of a turn as it is stored with it, so that a process that resumes the turn ends the span of the first one. */
export interface TurnTrace {
  /** The turn's own `traceparent`. */
  readonly turn: string;
  /** The caller's trace context. */
  readonly caller?: string | undefined;
  readonly state?: string | undefined;
}

/** What a turn comes from: the span of the call that starts it, its message that waited, or its stored trace when it is resumed. */
export type TurnOrigin =
  | {
      readonly kind: "call";
      readonly span: Span;
      readonly caller?: string | undefined;
      readonly state?: string | undefined;
    }
  | { readonly kind: "waited"; readonly caller?: string | undefined; readonly state?: string | undefined }
  | { readonly kind: "stored"; readonly trace: TurnTrace | undefined };

export interface TurnOptions {
  readonly taskId: string;
  readonly turnId: string;
  readonly agent: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly from: TurnOrigin;
}

export interface ObservedTurn {
  readonly scope: Scope;
  /** To be stored with the turn; undefined without tracing. */
  readonly trace: TurnTrace | undefined;
  end(code: EngineErrorCode | null, usage: TokenUsage): void;
}

/** A tool that the model called. `source` as of a tool; undefined for a built-in one. */
interface CalledTool {
  readonly id: string;
  readonly name: string;
  readonly source?: string | undefined;
}

interface TelemetryParts {
  readonly tracer?: Tracer;
  readonly counters?: EngineCounters;
}

/** Counts an engine's operations, and makes spans of them when tracing is on. Neither holds content. */
export class EngineTelemetry {
  readonly tracer: Tracer;
  readonly counters: EngineCounters;

  constructor({ tracer = NO_TRACER, counters = new EngineCounters() }: TelemetryParts = {}) {
    this.tracer = tracer;
    this.counters = counters;
  }

  turn({ taskId, turnId, agent, startedAt, from }: TurnOptions): ObservedTurn {
    const { caller, state, turn } = from.kind === "stored" ? { ...from.trace } : { ...from, turn: undefined };
    const span = this.tracer.start(`invoke_agent ${agent}`, {
      kind: "internal",
      // The span of the call ended before: a resumed turn, and one whose message waited, belong to the caller's span.
      parent: from.kind === "call" ? from.span : this.tracer.remote({ traceparent: caller, tracestate: state }),
      attributes: {
        "gen_ai.operation.name": "invoke_agent",
        ...agentAttributes(agent, taskId),
        "orchd.turn.id": turnId,
        "orchd.turn.resumed": from.kind === "stored" || undefined,
      },
      startedAt,
      continues: turn,
    });
    const { traceparent } = span;
    return {
      trace: traceparent === undefined ? undefined : { turn: traceparent, caller, state },
      scope: { span, taskId, turnId, agent },
      end: (code, usage) => {
        const outcome = code === null ? "completed" : "errored";
        this.counters.count("orch_turns_total", { outcome, reason: code ?? "none" });
        this.counters.observe("orch_turn_seconds", { outcome }, (Date.now() - startedAt) / 1000);
        span.set(usageAttributes(usage));
        span.end(code);
      },
    };
  }

  /** A sub-agent of the agent in `scope`. `end` takes the code of its error. */
  subAgent(agent: string, { span: parent, taskId, turnId }: Scope): Observed<string> {
    const attributes = { "gen_ai.operation.name": "invoke_agent", ...agentAttributes(agent, taskId) };
    const span = this.tracer.start(`invoke_agent ${agent}`, { kind: "internal", parent, attributes });
    return { scope: { span, taskId, turnId, agent }, end: (code) => span.end(code) };
  }

  toolCall(tool: CalledTool, scope: Scope): Observed<ToolFailure | "aborted"> {
    const span = this.#toolSpan(tool, scope);
    const label = toolLabel(tool);
    const startedAt = performance.now();
    return {
      scope: { ...scope, span },
      end: (failure) => {
        const outcome = failure === null ? "completed" : failure === "aborted" ? "aborted" : "failed";
        const reason = failure === null || failure === "aborted" ? "none" : failure;
        this.counters.count("orch_tool_calls_total", { tool: label, outcome, reason });
        this.counters.observe("orch_tool_call_seconds", { tool: label }, (performance.now() - startedAt) / 1000);
        span.end(failure);
      },
    };
  }

  /** A call that does not run. The name of an unknown tool is the model's text, and is left out. */
  toolRefused(tool: CalledTool, scope: Scope, reason: ToolRefusal): void {
    const known = reason === "unknown_tool" ? { ...tool, name: "unknown" } : tool;
    this.counters.count("orch_tool_calls_total", { tool: toolLabel(known), outcome: "refused", reason });
    this.#toolSpan(known, scope).end(reason);
  }

  #toolSpan({ id, name, source }: CalledTool, { span: parent, taskId, agent }: Scope): Span {
    const isRemote = source !== undefined && isServer(source);
    const attributes = { ...toolAttributes({ id, name, isRemote }), ...agentAttributes(agent, taskId) };
    return this.tracer.start(`execute_tool ${name}`, { kind: "internal", parent, attributes });
  }
}

const isServer = (source: string): boolean => source.startsWith("server:");

function toolLabel({ name, source }: CalledTool): ToolLabel {
  if (source !== undefined) return isServer(source) ? "mcp" : "catalog";
  return TOOL_LABELS.find((label) => label === name) ?? "unknown";
}

/** A scope outside of any turn. */
export const NO_SCOPE: Scope = { span: NO_SPAN, taskId: "", turnId: "", agent: "" };
