/** The entry `holdfast/inspect`: loggers, metrics and custom inspectors that watch a loop. */
import { findLastReply, openBatch } from '../../journal/conversation.ts';
import { getPrincipal, type Loop } from '../../loop/loop.ts';
import { LOOPS, type LoopMoment, type WatchedOffer } from '../../loop/loop-seams.ts';
import { getOrigin } from '../../tool/decorate.ts';
import type { Json } from '../../tool/json.ts';
import type { Log } from '../../tool/log.ts';
import { createErrorEntry } from '../../tool/log.ts';
import { createModule, createUse, type ModuleUse } from '../../tool/module-use.ts';
import type { AnyTool } from '../../tool/tool.ts';
import { getModelText } from '../../tool/tool-result.ts';
import type {
  BroughtBy,
  CallSeen,
  LoopInspector,
  LoopMoments,
  LoopPlace,
  ToolCallSeen,
} from './inspector.ts';

export { formatToolTree, toMermaid } from '../../tool/draw.ts';
export type {
  BroughtBy,
  CallSeen,
  IterationSeen,
  LoopInspector,
  LoopMoments,
  LoopPlace,
  ModelCallSeen,
  ModelFailureSeen,
  ReplySeen,
  ToolCallSeen,
  ToolResultSeen,
  ToolsChangeSeen,
} from './inspector.ts';
export {
  type CallOutcome,
  callOutcome,
  type LoggingOptions,
  type LogLevel,
  type LogLine,
  type LoopLoggingOptions,
  loggingInspector,
  loopLoggingInspector,
  type Metrics,
  type MetricTags,
  metricsInspector,
  NO_METRICS,
} from './logging-inspector.ts';

/**
 * Watches the loops of an agent with `defineAgent({ use: [inspect(loggingInspector())] })`, or the loops of
 * all agents with `createHoldfast({ use })`. Also watches nested loops.
 *
 * @throws TypeError if an inspector is not an object.
 *
 * @example
 * ```ts
 * const use = [inspect(loggingInspector(), loopLoggingInspector())];
 * ```
 */
export function inspect(...inspectors: readonly LoopInspector[]): ModuleUse {
  for (const [index, given] of inspectors.entries()) {
    // Callers without types can pass any value, such as a function.
    if (typeof given !== 'object' || given === null)
      throw new TypeError(
        `inspect: the inspector at index ${index} must be an object with functions, such as loggingInspector().`,
      );
  }
  useCount += 1;
  const use = createUse(INSPECT_MODULE, String(useCount));
  LOOPS.give(use, {
    watch: (loop, moment) => showMoment(moment, { loop, tell: createTell(inspectors, loop.log) }),
  });
  return use;
}

/** Each use has its own key, so an agent can have several. The counter is not persisted. */
let useCount = 0;

const INSPECT_MODULE = createModule({ name: 'inspect', nested: true });

/**
 * Calls the inspectors. `seen` runs once for each inspector, so an inspector cannot change the data of others
 * or of the loop.
 */
type InspectorNotifier = <Name extends keyof LoopMoments>(name: Name, seen: () => LoopMoments[Name]) => void;

const createTell =
  (inspectors: readonly LoopInspector[], log: Log): InspectorNotifier =>
  (name, seen) => {
    for (const inspector of inspectors) {
      try {
        const told = inspector[name]?.(seen());
        if (told instanceof Promise) told.catch((thrown) => logThrown(log, name, thrown));
      } catch (thrown) {
        logThrown(log, name, thrown);
      }
    }
  };

const logThrown = (log: Log, moment: keyof LoopInspector, thrown: unknown): void =>
  log(createErrorEntry(`an inspector threw in ${moment}`, thrown));

interface InspectedLoop {
  readonly loop: Loop;
  readonly tell: InspectorNotifier;
}

function showMoment(moment: LoopMoment, shown: InspectedLoop): void {
  switch (moment.at) {
    case 'tools-changed':
      showTools(moment, shown);
      break;
    case 'ask':
    case 'reply':
    case 'no-reply':
      showModelCall(moment, shown);
      break;
    case 'call':
    case 'result':
      showToolCall(moment, shown);
      break;
    case 'step':
      showIteration(shown);
  }
}

type MomentOf<Name extends LoopMoment['at']> = Extract<LoopMoment, { readonly at: Name }>;

function showTools({ change, offer }: MomentOf<'tools-changed'>, { loop, tell }: InspectedLoop): void {
  const { cause, came = [], went = [] } = change;
  tell('toolsChanged', () => ({
    ...getLoopPlace(loop, 1),
    cause,
    came: came.map(({ name }) => name),
    went: went.map(({ name }) => name),
    metadata: createMetadataReader(offer),
    broughtBy: (name) => findOrigin(offer.byName.get(name)),
  }));
}

function findOrigin(tool: AnyTool | undefined): BroughtBy | undefined {
  const [unfolding] = (tool && getOrigin(tool)?.by) ?? [];
  if (unfolding) return { by: 'unfolding', tool: unfolding.name };
  const { domainType, instanceId } = tool?.metadata ?? {};
  if (typeof domainType !== 'string') return undefined;
  return { by: 'object', domainType, ...(typeof instanceId === 'string' && { instanceId }) };
}

function showModelCall(moment: MomentOf<'ask' | 'reply' | 'no-reply'>, { loop, tell }: InspectedLoop): void {
  switch (moment.at) {
    case 'ask': {
      const { messages, tools } = moment.request;
      tell('beforeModelCall', () => ({
        ...getLoopPlace(loop, 1),
        messages: structuredClone(messages),
        tools: tools.map(({ name }) => name),
        sourcesAsked: loop.journal.state.turn?.tools.sourcesAsked ?? 0,
        tokenEstimate: () => Math.ceil(JSON.stringify(messages).length / 4),
      }));
      break;
    }
    case 'reply': {
      const { ms } = moment;
      const { model, text, toolCalls, finish, usage } = moment.reply;
      const listCalls = () => toolCalls.map(toCallSeen);
      const getUsage = () => usage && { usage: { ...usage } };
      tell('afterModelCall', () => ({
        ...getLoopPlace(loop),
        model,
        text,
        calls: listCalls(),
        finish,
        ...getUsage(),
        ms,
      }));
      break;
    }
    case 'no-reply': {
      const { failure, status, message } = moment.failure;
      const { name: model } = loop.spec.model;
      const seen = { model, failure, ...(status !== undefined && { status }), message, ms: moment.ms };
      tell('modelFailed', () => ({ ...getLoopPlace(loop, 1), ...seen }));
    }
  }
}

function showToolCall(moment: MomentOf<'call' | 'result'>, { loop, tell }: InspectedLoop): void {
  const toSeenCall = () => toToolCallSeen(loop, moment);
  if (moment.at === 'call') tell('beforeToolCall', toSeenCall);
  else
    tell('afterToolCall', () => ({
      ...toSeenCall(),
      result: structuredClone({ ...moment.result }),
      text: getModelText(moment.result),
      ms: moment.ms,
    }));
}

function showIteration({ loop, tell }: InspectedLoop): void {
  const { frame } = loop;
  const last = findLastReply(frame.messages);
  // A rejected request is not an iteration.
  if (!last || frame.shortened || openBatch(frame).length > 0) return;
  tell('afterIteration', () => ({ ...getLoopPlace(loop), calls: last.calls.map(toCallSeen) }));
}

/** Returns the position of a loop. `ahead` is added to its iteration. */
const getLoopPlace = (loop: Loop, ahead = 0): LoopPlace => ({
  session: loop.session,
  turn: loop.turn,
  frame: loop.frame.id,
  path: loop.frame.path,
  iteration: loop.frame.iterations + ahead,
  principal: structuredClone(getPrincipal(loop)),
});

const toCallSeen = ({ id, name, input }: CallSeen): CallSeen => ({ id, name, input });

const toToolCallSeen = (loop: Loop, { record, offer }: MomentOf<'call' | 'result'>): ToolCallSeen => ({
  ...getLoopPlace(loop),
  call: toCallSeen(record),
  metadata: createMetadataReader(offer)(record.name),
  definition: () => structuredClone(offer.definitions.find(({ name }) => name === record.name)),
});

/** Returns a function that copies the metadata of a tool in an offer. */
const createMetadataReader =
  ({ byName }: WatchedOffer) =>
  (name: string): Record<string, Json> =>
    structuredClone(byName.get(name)?.metadata ?? {});
