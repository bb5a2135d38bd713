/** Questions inside `run` with a checkpoint. */
import { describe, expect, it } from 'vitest';
import { type AnyTool, defineTool, type Effect } from '../../../../../src/index.ts';
import { requireApproval } from '../../../../../src/modules/decorators/entry.ts';
import { createTestSession, type TestSession } from '../../../../../src/testing/entry.ts';
import { parseEvent, toRow } from '../../../../doors/journal.ts';
import { getLastResults } from '../../unfolding/scenes.ts';
import { createDeliveryTool, createTestAgent } from './deliveries.ts';

interface Courier {
  readonly tool: AnyTool;
  /** The actions of `run`, in order. */
  readonly did: string[];
}

function createCourier(effect: Effect): Courier {
  const did: string[] = [];
  return { tool: defineTool({ ...createDeliveryTool(did), effect }), did };
}

const startSession = (tool: AnyTool): TestSession =>
  createTestSession(createTestAgent(tool), {
    replies: [{ calls: [{ name: 'deliver', input: {} }] }, 'Done.'],
  });

const listCallEvents = async (session: TestSession) =>
  (await session.events()).flatMap((event) => {
    if (event.type === 'tool-call-started') return [`started ${event.effect}`];
    if (event.type === 'tool-call-suspended') return ['asked'];
    return event.type === 'tool-call-answered' ? ['answered'] : [];
  });

describe('a question with a checkpoint', () => {
  it.each(['once', 'idempotent', 'read'] as const)(
    'suspends a call that is %s, and another invocation resumes it at the checkpoint',
    async (effect) => {
      const { tool, did } = createCourier(effect);
      const session = startSession(tool);
      expect(await session.send('Deliver.')).toMatchObject({ outcome: 'suspended' });
      session.restart();
      expect(await session.decide('deliver', 'approve')).toMatchObject({ text: 'Done.' });
      expect(getLastResults(session)).toEqual(['Delivered with T-1.']);
      expect(did).toEqual(['began', 'approve T-1']);
      const again = effect === 'read' ? [] : [`started ${effect}`]; // a read resumes without a second start
      expect(await listCallEvents(session)).toEqual([`started ${effect}`, 'asked', 'answered', ...again]);
    },
  );

  it('is asked after the questions of decorators', async () => {
    const { tool, did } = createCourier('once');
    const session = startSession(requireApproval(tool, 'Deliver it?'));
    await session.send('Deliver.');
    await session.decide('deliver', 'approve');
    session.restart();
    await session.decide('deliver', 'approve');
    expect([did, getLastResults(session)]).toEqual([['began', 'approve T-1'], ['Delivered with T-1.']]);
  });

  it('does not show the checkpoint to the person who decides or to the model', async () => {
    const session = startSession(createCourier('once').tool);
    await session.send('Deliver.');
    expect(JSON.stringify(await session.pending())).not.toContain('T-1');
    await session.decide('deliver', 'reject');
    const read = JSON.stringify(session.requests.map(({ messages }) => messages.slice(0, -1)));
    expect(read).not.toContain('T-1');
  });

  it('leaves no call in doubt if the turn is cancelled while the question is open', async () => {
    const { tool, did } = createCourier('once');
    const session = startSession(tool);
    const { turn } = await session.send('Deliver.');
    await session.cancel();
    expect(await session.answer(turn)).toMatchObject({ outcome: 'cancelled' });
    const ends = (await session.events()).flatMap((event) =>
      event.type === 'tool-call-ended' ? [event.result] : [],
    );
    expect(ends).toEqual([
      { type: 'error', message: "The call of 'deliver' was cut short.", reason: 'cancelled' },
    ]);
    expect(did).toEqual(['began']);
  });

  it('is journaled with its checkpoint', () => {
    const event = {
      type: 'tool-call-suspended',
      turn: 't1',
      call: 't1.3.0',
      wait: {
        for: 'decision',
        message: 'Leave it?',
        allows: ['approve'],
        schema: { type: 'object' },
        onExpiry: 'reject',
        binding: 'b',
        checkpoint: null,
      },
    } as const;
    const row = toRow(event);
    expect(parseEvent({ ...row, seq: 3, at: 0 })).toEqual({ seq: 3, at: 0, ...event });
  });
});
