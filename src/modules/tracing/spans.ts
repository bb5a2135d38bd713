/** Creates the spans of a turn from its timeline. */
import type {
  CallNode,
  InvocationNode,
  LoopNode,
  ModelNode,
  TimelineMark,
  TurnTimeline,
  WaitNode,
} from '../timeline/timeline.ts';
import type { TurnContent } from './content.ts';
import { type Attributes, toProviderName } from './conventions.ts';
import { computeSpanId, getTurnTrace, type TurnOrigin } from './trace-context.ts';

/** A span, independent of the receiver's format. Times are in milliseconds since the epoch. */
export interface TurnSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId?: string | undefined;
  /** `true` if the parent belongs to the caller. */
  readonly hasRemoteParent: boolean;
  readonly name: string;
  readonly kind: 'internal' | 'client';
  readonly start: number;
  readonly end: number;
  readonly attributes: Attributes;
  readonly events: readonly SpanEvent[];
  /** The number of omitted events. */
  readonly droppedEvents: number;
  /** The type of its error, if it has failed. */
  readonly error?: string | undefined;
}

interface SpanEvent {
  readonly name: string;
  readonly at: number;
  readonly attributes: Attributes;
}

/** A turn, with the agent and session that its spans show. */
export interface TracedTurn extends TurnOrigin {
  readonly agent: string;
  readonly session: string;
}

export interface TracedTimeline {
  readonly turn: TracedTurn;
  readonly timeline: TurnTimeline;
  /** The texts, if the spans may contain them. */
  readonly content?: TurnContent | undefined;
}

/** The maximum number of events in a span, as in the OpenTelemetry SDKs. */
const MAX_EVENTS = 128;

/** Returns the spans of a turn, which are one trace. Each span comes after its parent. */
export function toSpans(traced: TracedTimeline): readonly TurnSpan[] {
  const { timeline } = traced;
  const spans: TurnSpan[] = [];
  const { traceId, callerSpanId } = getTurnTrace(traced.turn);
  const tracing: SpanCollection = { ...traced, traceId, spans, last: getLastTime(timeline) };
  const root = addTurn(tracing, callerSpanId);
  if (timeline.invocations.length > 1)
    for (const invocation of timeline.invocations) addInvocation(tracing, invocation, root);
  addLoop(tracing, timeline.loop, root);
  return spans;
}

interface SpanCollection extends TracedTimeline {
  readonly traceId: string;
  readonly spans: TurnSpan[];
  /** The end of spans that are still open, since a receiver cannot show open spans. */
  readonly last: number;
}

const getLastTime = ({ end, start, invocations }: TurnTimeline): number =>
  end ?? invocations.at(-1)?.lastSeen ?? start;

interface NewSpan extends Pick<TurnSpan, 'name' | 'attributes' | 'start'> {
  readonly node: string;
  readonly parentId?: string | undefined;
  readonly kind?: TurnSpan['kind'];
  readonly end?: number | undefined;
  readonly events?: readonly SpanEvent[];
  readonly error?: string | undefined;
  readonly hasRemoteParent?: boolean;
}

function addSpan({ turn, traceId, spans, last }: SpanCollection, span: NewSpan): string {
  const { node, attributes, events = [], error, end = Math.max(last, span.start) } = span;
  const spanId = computeSpanId(turn, node);
  spans.push({
    ...{ traceId, spanId, parentId: span.parentId, hasRemoteParent: span.hasRemoteParent ?? false },
    ...{ name: span.name, kind: span.kind ?? 'internal', start: span.start, end, error },
    attributes: { ...attributes, 'error.type': error },
    events: events.slice(0, MAX_EVENTS),
    droppedEvents: Math.max(0, events.length - MAX_EVENTS),
  });
  return spanId;
}

function addTurn(tracing: SpanCollection, callerSpanId: string | undefined): string {
  const { timeline, turn, content } = tracing;
  const { start, end, outcome, error, usage, invocations, loop } = timeline;
  return addSpan(tracing, {
    node: timeline.id,
    parentId: callerSpanId,
    hasRemoteParent: callerSpanId !== undefined,
    name: `invoke_agent ${turn.agent}`,
    start,
    end,
    error: error?.type,
    attributes: {
      ...toAgentAttributes(tracing, turn.agent, loop),
      ...toUsageAttributes(usage),
      'holdfast.turn': turn.turn,
      'holdfast.outcome': outcome ?? timeline.status,
      'holdfast.invocations': invocations.length,
      'holdfast.take_overs': takeOvers(timeline),
      ...content?.ofTurn(),
    },
    events: [...takeOverEvents(invocations), ...markEvents(loop.marks)],
  });
}

/** Returns the number of invocations that died. */
export const takeOvers = ({ invocations }: TurnTimeline): number =>
  invocations.filter(({ cause }) => cause === 'expired').length;

const takeOverEvents = (invocations: readonly InvocationNode[]): SpanEvent[] =>
  invocations.slice(1).map(({ cause, start, number }) => ({
    name: cause === 'expired' ? 'holdfast.take_over' : 'holdfast.resumed',
    at: start,
    attributes: { 'holdfast.invocation': number },
  }));

const markEvents = (marks: readonly TimelineMark[]): SpanEvent[] =>
  marks.map(({ type, at, seq }) => ({ name: `holdfast.${type}`, at, attributes: { 'holdfast.seq': seq } }));

function toAgentAttributes({ turn }: SpanCollection, agent: string, { iterations }: LoopNode): Attributes {
  const last = iterations.findLast(({ model }) => model.model !== undefined && !model.planned)?.model;
  return {
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.agent.name': agent,
    'gen_ai.conversation.id': turn.session || undefined,
    ...(last && {
      'gen_ai.provider.name': toProviderName(last),
      'gen_ai.request.model': last.model,
      'gen_ai.response.finish_reasons': last.finish === undefined ? undefined : [last.finish],
    }),
  };
}

function toUsageAttributes(usage: ModelNode['usage']): Attributes {
  if (!usage) return {};
  return {
    'gen_ai.usage.input_tokens': usage.inputTokens,
    'gen_ai.usage.output_tokens': usage.outputTokens,
    'gen_ai.usage.cache_read.input_tokens': usage.cachedInputTokens,
    'gen_ai.usage.cache_write.input_tokens': usage.cacheWriteTokens,
    'gen_ai.usage.reasoning.output_tokens': usage.reasoningTokens,
    'holdfast.usage.cost': usage.cost,
  };
}

/** Adds an invocation. If it died, its span ends at the start of its successor. */
function addInvocation(tracing: SpanCollection, invocation: InvocationNode, parentId: string): void {
  const { id, number, cause, start, end, lastSeen, outcome } = invocation;
  addSpan(tracing, {
    ...{ node: id, parentId, name: 'holdfast.invocation', start, end },
    error: outcome === 'died' ? 'invocation_died' : undefined,
    attributes: {
      'holdfast.invocation': number,
      'holdfast.invocation.cause': cause,
      'holdfast.invocation.outcome': outcome,
    },
    events: outcome === 'died' ? [{ name: 'holdfast.last_seen', at: lastSeen, attributes: {} }] : [],
  });
}

function addLoop(tracing: SpanCollection, { iterations }: LoopNode, parentId: string): void {
  for (const { number, model, calls } of iterations) {
    if (!model.planned) addModel(tracing, model, { parentId, number });
    for (const call of calls) addCall(tracing, call, parentId);
  }
}

interface ModelPlace {
  readonly parentId: string;
  readonly number: number;
}

function addModel(tracing: SpanCollection, node: ModelNode, { parentId, number }: ModelPlace): void {
  const { id, start, end, model, finish, attempts, last, tookOverFrom, usage } = node;
  addSpan(tracing, {
    ...{
      node: id,
      parentId,
      name: model === undefined ? 'chat' : `chat ${model}`,
      kind: 'client',
      start,
      end,
    },
    error: model === undefined ? (tracing.timeline.error?.type ?? 'no_reply') : undefined,
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': toProviderName(node),
      'gen_ai.request.model': model,
      'gen_ai.response.model': model,
      'gen_ai.conversation.id': tracing.turn.session || undefined,
      'gen_ai.response.finish_reasons': finish === undefined ? undefined : [finish],
      ...toUsageAttributes(usage),
      'holdfast.iteration': number,
      'holdfast.attempts': attempts.length,
      'holdfast.last': last || undefined,
      'holdfast.took_over_from': tookOverFrom,
      ...tracing.content?.ofModel(node),
    },
  });
}

function addCall(tracing: SpanCollection, call: CallNode, parentId: string): void {
  const { id, tool, name, effect, outcome, reason, attempts, waits, loop } = call;
  const spanId = addSpan(tracing, {
    ...{ node: id, parentId, name: `execute_tool ${tool}`, start: computeRunStart(call), end: call.end },
    error: outcome === 'error' ? (reason ?? 'tool_error') : undefined,
    attributes: {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': tool,
      'gen_ai.tool.type': 'function',
      'gen_ai.tool.call.id': id,
      'gen_ai.conversation.id': tracing.turn.session || undefined,
      'holdfast.tool.named': name === tool ? undefined : name,
      'holdfast.tool.effect': effect,
      'holdfast.tool.outcome': outcome,
      'holdfast.attempts': attempts.length,
      ...tracing.content?.ofCall(call),
    },
  });
  for (const wait of waits) addWait(tracing, wait, spanId);
  if (loop) addNested(tracing, loop, spanId);
}

/** Returns the time at which a call first ran or asked, or else the time of its reply. */
export function computeRunStart({ start, attempts, waits }: CallNode): number {
  const began = Math.min(attempts[0]?.start ?? Infinity, waits[0]?.start ?? Infinity);
  return began === Infinity ? start : began;
}

function addWait(tracing: SpanCollection, wait: WaitNode, parentId: string): void {
  const { id, start, end, answer, expired } = wait;
  addSpan(tracing, {
    ...{ node: id, parentId, name: 'holdfast.wait', start, end },
    attributes: {
      'holdfast.wait.for': wait.for,
      'holdfast.wait.answer': answer,
      'holdfast.wait.expired': expired || undefined,
    },
  });
}

function addNested(tracing: SpanCollection, loop: LoopNode, parentId: string): void {
  const { id, name = '', start, end, marks } = loop;
  const spanId = addSpan(tracing, {
    ...{ node: id, parentId, name: `invoke_agent ${name}`, start, end },
    attributes: toAgentAttributes(tracing, name, loop),
    events: markEvents(marks),
  });
  addLoop(tracing, loop, spanId);
}
