/** Converts the end of a turn to the last event of an AG-UI run. */
import type { TurnStreamEnd } from '../../create-holdfast.ts';
import type { AgUiEvent } from './events.ts';

type SuspendedView = Extract<TurnStreamEnd, { readonly type: 'suspended' }>['view'];
type Answer = Extract<TurnStreamEnd, { readonly type: 'answer' }>['answer'];
type PendingCall = SuspendedView['pending'][number];

interface RunIds {
  readonly threadId: string;
  readonly runId: string;
}

type Attribution = (call: string) => { readonly subagentRunId?: string };

export function createLastEvent(
  stop: TurnStreamEnd,
  { threadId, runId }: RunIds,
  of: Attribution,
): AgUiEvent {
  switch (stop.type) {
    case 'answer':
      return createAnswerEvent(stop.answer, { threadId, runId });
    case 'suspended':
      return {
        type: 'RUN_FINISHED',
        threadId,
        runId,
        ...toMetadata(stop.view),
        outcome: createInterruptEvent(stop.view, of),
      };
    case 'erased':
      return { type: 'RUN_ERROR', code: 'session-erased', message: 'The session was erased.' };
    case 'later':
      return createContinuesEvent(stop.view.status);
    case 'continues':
      return createContinuesEvent('running');
  }
}

/** Returns the last event of a run that ends before its turn. */
const createContinuesEvent = (status: string): AgUiEvent => ({
  type: 'RUN_ERROR',
  code: 'turn-goes-on',
  message: `The turn continues (${status}). Run the thread again without a new message to see the rest.`,
});

function createAnswerEvent(answer: Answer, ends: RunIds): AgUiEvent {
  const { outcome, object, error } = answer;
  const usage = toMetadata(answer);
  if (outcome === 'failed') {
    return {
      type: 'RUN_ERROR',
      message: error?.message ?? 'The turn failed.',
      code: error?.type ?? 'internal',
      ...usage,
    };
  }
  if (outcome === 'cancelled')
    return { type: 'RUN_FINISHED', ...ends, ...usage, outcome: { type: 'cancelled' } };
  return {
    type: 'RUN_FINISHED',
    ...ends,
    ...usage,
    outcome: { type: 'success' },
    ...(object !== undefined && { result: object }),
  };
}

/** Returns the usage so far, and other data for which AG-UI has no property. */
const toMetadata = ({ usage, model, turn, outcome }: Answer | SuspendedView) => ({
  usage: [
    {
      ...(model !== null && { model }),
      inputTokens: usage.inputTokens,
      outputTokens: usage.outputTokens,
      ...(usage.cachedInputTokens !== undefined && { cachedInputTokens: usage.cachedInputTokens }),
      ...(usage.reasoningTokens !== undefined && { reasoningTokens: usage.reasoningTokens }),
    },
  ],
  metadata: { holdfast: { turn, outcome } },
});

function createInterruptEvent({ pending }: SuspendedView, of: Attribution) {
  const decisions = pending.filter((one) => one.for === 'decision');
  if (decisions.length > 0)
    return { type: 'interrupt' as const, interrupts: decisions.map((one) => toInterrupt(one, of)) };
  return { type: 'success' as const, pendingToolCallIds: pending.map(({ call }) => call) };
}

function toInterrupt(one: PendingCall, of: Attribution) {
  const { call, tool, input, message, allows = [], schema, by, expiresAt } = one;
  const edited = allows.includes('edit') && schema ? { input: schema } : {};
  return {
    id: getInterruptId(one),
    reason: 'tool_call',
    message,
    toolCallId: call,
    responseSchema: {
      type: 'object',
      required: ['approved'],
      properties: { approved: { type: 'boolean' }, reason: { type: 'string' }, ...edited },
    },
    ...(expiresAt !== undefined && { expiresAt: new Date(expiresAt).toISOString() }),
    metadata: { tool, input, allows, ...(by !== undefined && { by }) },
    ...of(call),
  };
}

/** Returns the id of a question, since a call can ask several. */
export const getInterruptId = ({ call, question }: Pick<PendingCall, 'call' | 'question'>): string =>
  question === 1 ? call : `${call}?question=${question}`;
