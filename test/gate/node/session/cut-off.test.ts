/** The part of a cut-off reply that is stored, and its form in the next request. */
import { describe, expect, it } from 'vitest';
import { defineTool, ModelError, Secrets } from '../../../../src/index.ts';
import type { SessionEvent } from '../../../../src/journal/entry.ts';

import { createManualClock } from '../../../../src/testing/entry.ts';
import type { TurnHost } from '../../../doors/session.ts';
import {
  createConnectionLost,
  createSpeakingModel,
  type SpokenReply,
  WAIT,
} from '../../../fixtures/speaking.ts';
import { advanceUntilSettled, LEASE_MS } from './former-holder.ts';
import { createMemoryApp } from './memory-app.ts';

const CUT_OFF_NOTE = '[The reply was cut off here.]';
const UNANSWERED_NOTE = '[The last message was not answered.]';

/** A session with a client that receives the model's text. */
function startTalk(...replies: readonly SpokenReply[]) {
  const clock = createManualClock(1_000_000);
  const model = createSpeakingModel(...replies);
  const tools = [defineTool({ name: 'look', description: 'Looks.', effect: 'read', run: () => 'seen' })];
  const app = createMemoryApp({ tools, replies: [], clock, leaseMs: LEASE_MS });
  const host = { agent: { ...app.agent, model }, show: () => {} };
  const say = async (message: string, more: Partial<TurnHost> = {}, isUnderWay = async () => {}) => {
    const said = app.say(message, { ...host, ...more });
    await isUnderWay();
    const end = await advanceUntilSettled(clock, said);
    if (end.status !== 'ended') throw new Error(`The turn is ${end.status}.`);
    const events: readonly SessionEvent[] = (await app.events(end.turn.id)).map(
      ({ seq: _, at: __, ...event }) => event,
    );
    return { turn: end.turn, events };
  };
  /** Sends a message, and cancels the turn as soon as its model waits, before time passes. */
  const sendAndCancel = (message: string, more: Partial<TurnHost> = {}) =>
    say(message, more, async () => {
      await model.waiting();
      const turn = (await app.port.read({ from: 1, limit: 1 }))?.openTurn?.id ?? '';
      await app.port.post({ kind: 'cancel', turn, body: '{}' });
    });
  /** The roles and texts of the last request. */
  const getShownMessages = () => model.requests.at(-1)?.messages.map(({ role, text }) => [role, text]);
  return { app, model, say, cancelled: sendAndCancel, shown: getShownMessages };
}

describe('a reply that is cut off by the end of its turn', () => {
  it('is journaled with the end of a cancelled turn, up to the last text that was shown', async () => {
    const { cancelled } = startTalk(['It is ', 'in ', WAIT]);
    const { turn, events } = await cancelled('Where is it?');
    const of = { turn: turn.id };
    expect(events.slice(-2)).toEqual([
      {
        type: 'model-replied',
        ...of,
        model: 'speaking',
        text: 'It is in ',
        toolCalls: [],
        finish: 'cut-off',
      },
      { type: 'turn-ended', ...of, outcome: 'cancelled' },
    ]);
  });

  it('does not count as the turn’s answer or as another model call', async () => {
    const { turn } = await startTalk(['It is ', WAIT]).cancelled('Where is it?');
    expect(turn).toMatchObject({ outcome: 'cancelled', text: '', iterations: 0, model: undefined });
  });

  it('is kept if its turn fails, but only from the last attempt', async () => {
    const { say } = startTalk(['It was ', createConnectionLost()], ['It is ', 'in', createConnectionLost()]);
    const { turn, events } = await say('Where is it?');
    expect(turn).toMatchObject({ outcome: 'failed', text: '', error: { type: 'model-failure' } });
    expect(events.flatMap((event) => (event.type === 'model-replied' ? event.text : []))).toEqual([
      'It is in',
    ]);
  });

  it('is not kept if the last attempt has no text, because the earlier text was retracted', async () => {
    const { say } = startTalk(['It was ', createConnectionLost()], [new ModelError('server-error', 'Down.')]);
    expect((await say('Where is it?')).events.map(({ type }) => type)).toEqual([
      'turn-started',
      'turn-ended',
    ]);
  });

  it('is not kept if it was not shown to a client', async () => {
    const { cancelled } = startTalk(['It is ', WAIT]);
    const { events } = await cancelled('Where is it?', { show: undefined });
    expect(events.some(({ type }) => type === 'model-replied')).toBe(false);
  });

  it('contains no credential, because only the shown text is kept', async () => {
    const secrets = async () => Secrets.of({ key: 'sk-1234567890' });
    const { cancelled } = startTalk(['The key is sk-1234567890, ', 'and ', WAIT]);
    const { events } = await cancelled('What is the key?', { secrets });
    const [said] = events.flatMap((event) => (event.type === 'model-replied' ? event.text : []));
    expect(said).toMatch(/^The key is \[\w.*\], and $/);
  });

  it.each([
    ['with a reply', [['It is ', 'in Ghent.']], 1],
    [
      'after a call',
      [
        ['Let me see.', 'call look'],
        ['It is ', 'in Ghent.'],
      ],
      2,
    ],
    [
      'with a repeated reply',
      [
        ['It was ', createConnectionLost()],
        ['It is ', 'in Ghent.'],
      ],
      1,
    ],
  ])('is not journaled as cut off for a turn that ended %s', async (_, replies, count) => {
    const { turn, events } = await startTalk(...replies).say('Where is it?');
    expect(turn).toMatchObject({ outcome: 'completed', text: 'It is in Ghent.' });
    const finishes = events.flatMap((event) => (event.type === 'model-replied' ? event.finish : []));
    expect(finishes).not.toContain('cut-off');
    expect(finishes).toHaveLength(count);
  });

  it('is not journaled twice if the turn ends after the reply was journaled', async () => {
    const { say } = startTalk(['Let me see.', 'call look'], ['call nothing']);
    const { events } = await say('Where is it?');
    expect(events.filter(({ type }) => type === 'model-replied')).toHaveLength(2);
  });

  it('is shown to the model as cut off, before the next message', async () => {
    const { cancelled, say, shown } = startTalk(['It is ', 'in ', WAIT], ['In Ghent.']);
    await cancelled('Where is it?');
    await say('Well?');
    expect(shown()).toEqual([
      ['user', 'Where is it?'],
      ['assistant', `It is in \n\n${CUT_OFF_NOTE}`],
      ['user', 'Well?'],
    ]);
  });

  it('does not change the tools that were last offered to the model', async () => {
    const { app, cancelled, say } = startTalk(['Hello.'], ['It is ', WAIT]);
    await say('Hello?');
    const before = (await app.state()).offered;
    await cancelled('Where is it?');
    expect((await app.state()).offered).toEqual(before);
  });
});

describe('a message whose turn ends without a reply', () => {
  it('is marked for the model when the next message arrives', async () => {
    const { say, shown } = startTalk([new ModelError('bad-request', 'No.')], ['In Ghent.']);
    await say('Where is it?');
    await say('Well?');
    expect(shown()).toEqual([
      ['user', 'Where is it?'],
      ['user', UNANSWERED_NOTE],
      ['user', 'Well?'],
    ]);
  });

  it('is not marked if its turn called tools, because the model sees their results', async () => {
    const { say, shown } = startTalk(['call look'], [new ModelError('bad-request', 'No.')], ['In Ghent.']);
    await say('Where is it?');
    await say('Well?');
    expect(shown()?.map(([role]) => role)).toEqual(['user', 'assistant', 'tool', 'user']);
  });

  it('is marked the same way when the conversation is read again', async () => {
    const { app, say } = startTalk([new ModelError('bad-request', 'No.')], ['In Ghent.']);
    await say('Where is it?');
    const { turn } = await say('Well?');
    expect((await app.state()).messages).toMatchObject([
      { text: 'Where is it?' },
      { text: UNANSWERED_NOTE, by: 'loop' },
      { text: 'Well?' },
      { text: 'In Ghent.' },
    ]);
    expect(turn.text).toBe('In Ghent.');
  });
});
