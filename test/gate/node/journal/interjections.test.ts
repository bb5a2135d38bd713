/** Tests the position of a message that arrives during a turn, and the next step of the loop. */
import { describe, expect, it } from 'vitest';
import type { SessionEvent } from '../../../../src/journal/entry.ts';
import { type Message, ROOT } from '../../../doors/journal.ts';
import { DEFAULT_POLICIES, decideNextStep, type Step } from '../../../doors/loop.ts';
import { callEnded, createModelReplied, fold, sessionOpened, turnStarted } from './journal.ts';

const createTurnSteered = (message: string): SessionEvent => ({
  type: 'turn-steered',
  turn: 't1',
  as: `as ${message}`,
  message,
  principal: { id: 'ann' },
});

const lateResult: SessionEvent = {
  type: 'late-result-received',
  turn: 't1',
  call: 'p',
  tool: 'pay',
  input: '{"amount":5}',
  result: { type: 'error', message: 'No money.' },
};

/** Returns a short form of the conversation. */
const formatMessages = (messages: readonly Message[]): readonly string[] =>
  messages.map((message) =>
    message.role === 'user'
      ? `${message.by ?? 'user'}: ${message.text}`
      : `reply: ${message.text}${message.calls.map(({ name, ended: end }) => `[${name} ${end ? 'ended' : 'open'}]`)}`,
  );

function getNextStep(events: readonly SessionEvent[]): Step {
  const root = fold(events).turn?.frames.get(ROOT);
  if (!root) throw new Error('There is no loop.');
  return decideNextStep(root, { iterations: 2, policies: DEFAULT_POLICIES });
}

const eventsBefore = [sessionOpened, turnStarted];

describe('a message that arrives while a turn runs', () => {
  it.each<[string, readonly SessionEvent[], readonly string[], Step]>([
    [
      'before the first request',
      [createTurnSteered('a')],
      ['user: Hello', 'steer: a'],
      { do: 'ask', last: false },
    ],
    [
      'during a model call',
      [createTurnSteered('a'), createModelReplied([], { text: 'Hi.', unseen: 1 })],
      ['user: Hello', 'reply: Hi.', 'steer: a'],
      { do: 'ask', last: false },
    ],
    [
      'before a request, and another one during the model call',
      [createTurnSteered('a'), createTurnSteered('b'), createModelReplied([], { text: 'Hi.', unseen: 1 })],
      ['user: Hello', 'steer: a', 'reply: Hi.', 'steer: b'],
      { do: 'ask', last: false },
    ],
    [
      'while a call runs',
      [createModelReplied(['x look']), createTurnSteered('a')],
      ['user: Hello', 'reply: [look open]', 'steer: a'],
      { do: 'act' },
    ],
    [
      'while a call runs, which then ends',
      [createModelReplied(['x look']), createTurnSteered('a'), callEnded('x')],
      ['user: Hello', 'reply: [look ended]', 'steer: a'],
      { do: 'ask', last: false },
    ],
    [
      'after an answer',
      [createModelReplied([], { text: 'Hi.' }), createTurnSteered('a')],
      ['user: Hello', 'reply: Hi.', 'steer: a'],
      { do: 'ask', last: false },
    ],
    [
      'after a directly returned result',
      [createModelReplied(['x look']), callEnded('x', 'ok', { direct: true }), createTurnSteered('a')],
      ['user: Hello', 'reply: [look ended]', 'steer: a'],
      { do: 'ask', last: false },
    ],
    [
      'during the last model call at a limit',
      [
        createModelReplied(['x look']),
        callEnded('x'),
        createTurnSteered('a'),
        createModelReplied([], { text: 'Best.', last: true, unseen: 1 }),
      ],
      ['user: Hello', 'reply: [look ended]', 'reply: Best.', 'steer: a'],
      { do: 'ask', last: true },
    ],
    [
      'before the last model call at a limit',
      [
        createModelReplied(['x look']),
        callEnded('x'),
        createTurnSteered('a'),
        createModelReplied([], { text: 'Best.', last: true }),
      ],
      ['user: Hello', 'reply: [look ended]', 'steer: a', 'reply: Best.'],
      { do: 'end', outcome: 'limit-reached', limit: { kind: 'iterations', most: 2 } },
    ],
    [
      'during a nested loop',
      [
        createModelReplied(['x dig']),
        { type: 'frame-started', turn: 't1', frame: 'x', name: 'dig', message: 'Dig.' },
        createTurnSteered('a'),
        createModelReplied(['y look'], { frame: 'x' }),
        callEnded('y', 'ok', { frame: 'x' }),
        callEnded('x', 'dug'),
      ],
      ['user: Hello', 'reply: [dig ended]', 'steer: a'],
      { do: 'ask', last: false },
    ],
    [
      'as a late result',
      [createModelReplied([], { text: 'Hi.' }), lateResult],
      [
        'user: Hello',
        'reply: Hi.',
        'late: The call of \'pay\' with the input {"amount":5}, whose outcome was unknown, has answered after all: Error: No money.',
      ],
      { do: 'ask', last: false },
    ],
  ])('is placed in order if it arrives %s', (_, events, messages, step) => {
    expect(formatMessages(fold([...eventsBefore, ...events]).messages)).toEqual(messages);
    expect(getNextStep([...eventsBefore, ...events])).toEqual(step);
  });

  it('does not resume a turn that has failed', () => {
    const blank = createModelReplied([]);
    const failed = { do: 'end', outcome: 'failed', error: { type: 'empty-reply' } };
    expect(getNextStep([...eventsBefore, blank, blank])).toMatchObject(failed);
    expect(getNextStep([...eventsBefore, blank, blank, createTurnSteered('a')])).toMatchObject(failed);
  });
});
