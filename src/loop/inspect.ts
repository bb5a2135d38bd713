import { lastReply, openBatch } from '../journal/conversation.ts';
import type { EventOf, SessionEvent } from '../journal/events.ts';
import { ModelError, type ModelRequest } from '../model/chat-model.ts';
import type { Json } from '../tool/json.ts';
import type { Log } from '../tool/log.ts';
import type {
  CallSeen,
  LoopInspector,
  LoopMoments,
  LoopPlace,
  ModelCallSeen,
  ReplySeen,
  ToolCallSeen,
  ToolsChangeSeen,
} from './inspector.ts';
import { type Loop, principalOf } from './loop.ts';
import type { Offer } from './offer-tools.ts';
import type { ToolCallRun } from './tool-call-run.ts';

/**
 * Tells every inspector. `seen` is made once for each, so that none can change what another sees, or what the loop
 * works with; and not at all when nobody watches.
 */
export function inspect<Moment extends keyof LoopMoments>(
  { spec, log }: Pick<Loop, 'spec' | 'log'>,
  moment: Moment,
  seen: () => LoopMoments[Moment],
): void {
  for (const inspector of spec.inspectors) {
    try {
      const told = inspector[moment]?.(seen());
      if (told instanceof Promise) told.catch((thrown) => report(log, moment, thrown));
    } catch (thrown) {
      report(log, moment, thrown);
    }
  }
}

const report = (log: Log, moment: keyof LoopInspector, thrown: unknown): void =>
  log({
    level: 'error',
    event: 'other',
    message: `an inspector threw in ${moment}`,
    thrown,
  });

/** Answers where a loop stands; `ahead`: the model call that comes next is meant, not the last one. */
export const placeOf = (loop: Loop, ahead = 0): LoopPlace => ({
  session: loop.session,
  turn: loop.turn,
  frame: loop.frame.id,
  path: loop.frame.path,
  iteration: loop.frame.iterations + ahead,
  principal: structuredClone(principalOf(loop)),
});

const callSeen = ({ id, name, input }: CallSeen): CallSeen => ({ id, name, input });

/** A call as inspectors are told of it: copies, which they may keep or change. */
export const toolCallSeen = ({ loop, record, offer }: ToolCallRun): ToolCallSeen => ({
  ...placeOf(loop),
  call: callSeen(record),
  metadata: metadataIn(offer)(record.name),
  definition: () => structuredClone(offer.definitions.find(({ name }) => name === record.name)),
});

/** A request to the model as inspectors are told of it: copies, which they may keep or change. */
export const modelCallSeen = (loop: Loop, { messages, tools }: ModelRequest): ModelCallSeen => ({
  ...placeOf(loop, 1),
  messages: structuredClone(messages),
  tools: tools.map(({ name }) => name),
  sourcesAsked: loop.journal.state.turn?.tools.sourcesAsked ?? 0,
  tokenEstimate: () => Math.ceil(JSON.stringify(messages).length / 4),
});

/** A reply of the model that is journaled, as inspectors are told of it. */
export const replySeen = (
  loop: Loop,
  { model, text, toolCalls, finish, usage }: Extract<SessionEvent, { type: 'model-replied' }>,
  ms: number,
): ReplySeen => ({
  ...placeOf(loop),
  model,
  text,
  calls: toolCalls.map(callSeen),
  finish,
  ...(usage && { usage: { ...usage } }),
  ms,
});

/** Tells the log and the inspectors of a model call that came to no reply; of an interruption nobody. */
export function tellModelFailure(loop: Loop, thrown: unknown, ms: number): void {
  if (!(thrown instanceof ModelError)) return;
  const { failure, status, message, reason } = thrown;
  const model = loop.spec.model.name;
  const line = `Model '${model}' failed (${failure}): ${reason}`;
  loop.log({ level: 'error', event: 'model-failed', model, message: line });
  const seen = { model, failure, ...(status !== undefined && { status }), message, ms };
  inspect(loop, 'modelFailed', () => ({ ...placeOf(loop, 1), ...seen }));
}

/** A change of the tools as inspectors are told of it. */
export const toolsChangeSeen = (
  loop: Loop,
  { cause, came = [], went = [] }: EventOf<'tools-changed'>,
  offer: Offer,
): ToolsChangeSeen => ({
  ...placeOf(loop, 1),
  cause,
  came: came.map(({ name }) => name),
  went: went.map(({ name }) => name),
  metadata: metadataIn(offer),
});

/** Answers what the tools of an offer say of themselves: copies. */
const metadataIn =
  ({ byName }: Offer) =>
  (name: string): Record<string, Json> =>
    structuredClone(byName.get(name)?.metadata ?? {});

/** Tells that an iteration is over, unless calls of its reply are still open. */
export function inspectIteration(loop: Loop): void {
  const { frame } = loop;
  const last = lastReply(frame.messages);
  // A request that did not fit is no iteration.
  if (!last || frame.shortened || openBatch(frame).length > 0) return;
  inspect(loop, 'afterIteration', () => ({ ...placeOf(loop), calls: last.calls.map(callSeen) }));
}
