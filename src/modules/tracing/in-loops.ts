/** Passes the trace context of a loop to its model and tools, and creates spans in the platform's traces. */
import { ROOT } from '../../journal/events.ts';
import { parseCallId } from '../../journal/reply-data.ts';
import { askLayer } from '../../loop/ask-layers.ts';
import type { AskLayer } from '../../loop/ask-reply.ts';
import type { Loop } from '../../loop/loop.ts';
import type { LoopSeam } from '../../loop/loop-seams.ts';
import { ToolCallContext } from '../../tool/tool-call-context.ts';
import type { Attributes } from './conventions.ts';
import { formatTraceparent, TRACEPARENT_HEADER, type TurnOrigin, traceHeaders } from './trace-context.ts';

/** The part of `tracing` from `cloudflare:workers` that is used here. */
export interface PlatformTracing {
  enterSpan<T>(name: string, callback: (span: PlatformSpan) => T): T;
}

/** A span of the platform. */
export interface PlatformSpan {
  setAttribute(name: string, value: string): unknown;
}

export const createLoopSeam = (platform: PlatformTracing | undefined): LoopSeam => ({
  ask: askLayer({ place: 'trace', around: createAskLayer(platform) }),
  run(call, next, effect) {
    // A tool reads the trace context of its own call, not that of the turn's caller.
    const headers = traceHeaders(call);
    const context = call.context.merge(ToolCallContext.of(headers));
    return runInSpan(
      platform,
      `execute_tool ${call.tool}`,
      {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': call.tool,
        'gen_ai.tool.call.id': call.id,
        'gen_ai.conversation.id': call.session,
        'holdfast.turn': parseCallId(call.id)?.turn,
        'holdfast.tool.effect': effect.effect,
        'holdfast.traceparent': headers[TRACEPARENT_HEADER],
      },
      () => next({ context }),
    );
  },
});

const createAskLayer =
  (platform: PlatformTracing | undefined): AskLayer['around'] =>
  ({ loop, request, tell }, next) => {
    const { name: model } = loop.spec.model;
    const traceparent = formatTraceparent(getOrigin(loop), getNodeId(loop));
    const headers = { ...request.headers, [TRACEPARENT_HEADER]: traceparent };
    return runInSpan(
      platform,
      `chat ${model}`,
      {
        'gen_ai.operation.name': 'chat',
        'gen_ai.request.model': model,
        'gen_ai.conversation.id': loop.session,
        'holdfast.turn': loop.turn,
        'holdfast.traceparent': traceparent,
      },
      () => next({ ...request, headers }, tell),
    );
  };

/** Returns the timeline's id of the next request of a loop. */
const getNodeId = ({ frame: { id, iterations } }: Loop): string =>
  `${id === ROOT ? 'loop' : `${id}/loop`}/${iterations + 1}/model`;

const getOrigin = ({ turn, journal }: Loop): TurnOrigin => ({
  turn,
  caller: journal.state.turn?.context[TRACEPARENT_HEADER],
});

/** Runs work in a span of the platform, if tracing is available. The span ends with the work. */
function runInSpan<T>(
  platform: PlatformTracing | undefined,
  name: string,
  attributes: Attributes,
  work: () => T,
): T {
  if (!platform) return work();
  return platform.enterSpan(name, (span) => {
    for (const [key, value] of Object.entries(attributes))
      if (typeof value === 'string') span.setAttribute(key, value);
    return work();
  });
}
