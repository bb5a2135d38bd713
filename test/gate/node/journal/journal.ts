import type { ResultData } from '../../../../src/index.ts';
import type { CallChanges, JournaledCall, SessionEvent } from '../../../../src/journal/entry.ts';
import type { ToolMemory } from '../../../../src/module.ts';
import type { SessionState } from '../../../../src/testing/entry.ts';
import { createEmptyState, reduce } from '../../../doors/journal.ts';

/** Short forms of events of the turn `t1` of the agent `tester`. */
export const sessionOpened: SessionEvent = { type: 'session-opened', incarnation: 'i1', agent: 'tester' };

export const turnStarted: SessionEvent = {
  type: 'turn-started',
  turn: 't1',
  loopId: 'loop',
  message: 'Hello',
  context: { locale: 'de' },
  principal: { id: 'ann' },
};

/** Each of `calls` is an id and a name, separated by a space. */
export const createModelReplied = (
  calls: readonly string[],
  more: Partial<Extract<SessionEvent, { type: 'model-replied' }>> = {},
): SessionEvent => ({
  type: 'model-replied',
  turn: 't1',
  model: 'm',
  text: '',
  toolCalls: calls.map((call): JournaledCall => {
    const [id = '', name = ''] = call.split(' ');
    return { id, providerId: `p-${id}`, name, input: '{}' };
  }),
  finish: 'stop',
  ...more,
});

export const callEnded = (
  call: string,
  result: ResultData | string = 'ok',
  more: { readonly frame?: string; readonly changes?: CallChanges; readonly direct?: true } = {},
): SessionEvent => ({
  type: 'tool-call-ended',
  turn: 't1',
  call,
  result: typeof result === 'string' ? { type: 'text', content: result } : result,
  ...more,
});

export const fold = (events: readonly SessionEvent[], memories: readonly ToolMemory[] = []): SessionState => {
  const state = createEmptyState();
  events.forEach((event, i) => {
    reduce(state, { ...event, seq: i + 1 }, memories);
  });
  return state;
};
