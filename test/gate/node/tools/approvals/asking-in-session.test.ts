import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { type AnyTool, defineAgent, defineDomainType, defineTool } from '../../../../../src/index.ts';
import { humanInput, requireType } from '../../../../../src/modules/decorators/entry.ts';
import { createManualClock, createTestSession, type TestSession } from '../../../../../src/testing/entry.ts';

const createDesk = (...tools: readonly AnyTool[]) =>
  defineAgent({ name: 'desk', description: 'A desk.', instructions: '', tools });

/** The call results in the last request to the model. */
const getLastResults = (session: TestSession): string[] =>
  (session.requests.at(-1)?.messages ?? []).flatMap((message) =>
    message.role === 'tool' ? [message.text] : [],
  );

describe('a tool that requires a type, in a session', () => {
  const Address = defineDomainType({ name: 'Address', schema: v.object({ city: v.string() }) });
  const SHIP = { calls: [{ name: 'ship', input: { orderId: 7 } }] };
  const bergen = { decision: 'edit', input: { city: 'Bergen' } } as const;

  const createShippingTool = (fails = (): boolean => false) =>
    requireType(
      defineTool({
        name: 'ship',
        description: 'Ships an order.',
        input: v.object({ orderId: v.number() }),
        run: ({ orderId }, { blackboard }) => {
          if (fails()) throw new Error('The van is broken.');
          const address = blackboard.entries().findLast(({ type }) => type === 'Address');
          return `${orderId} to ${JSON.stringify(address?.value)}`;
        },
      }),
      Address,
    );

  it('receives a value once, and later turns read it from the blackboard (DEC-17)', async () => {
    const session = createTestSession(createDesk(createShippingTool()), {
      replies: [SHIP, 'Done.', SHIP, 'Done again.'],
    });
    await session.send('Ship it.');
    expect(await session.pending()).toMatchObject([
      {
        tool: 'ship',
        message: "Tool 'ship' needs a value of type 'Address'.",
        allows: ['edit', 'reject', 'exit'],
        schema: Address.json,
      },
    ]);
    session.restart();
    expect(await session.decide('ship', bergen)).toMatchObject({ outcome: 'completed' });
    expect(getLastResults(session)).toEqual(['7 to {"city":"Bergen"}']);
    expect((await session.state()).blackboard).toEqual([{ type: 'Address', value: { city: 'Bergen' } }]);
    expect(await session.send('And again.')).toMatchObject({ outcome: 'completed', text: 'Done again.' });
    expect((await session.state()).blackboard).toHaveLength(1);
  });

  it('asks again after a failed call, because the blackboard does not keep its value (DEC-17)', async () => {
    let fails = true;
    const session = createTestSession(createDesk(createShippingTool(() => fails)), {
      replies: [SHIP, SHIP, 'Done.'],
    });
    await session.send('Ship it.');
    expect(await session.decide('ship', bergen)).toMatchObject({ outcome: 'suspended' });
    expect((await session.state()).blackboard).toEqual([]);
    fails = false;
    await session.decide('ship', bergen);
    expect(getLastResults(session)).toEqual(['Error: The van is broken.', '7 to {"city":"Bergen"}']);
  });

  it('accepts no approval, and no value that its type does not allow', async () => {
    const session = createTestSession(createDesk(createShippingTool()), { replies: [SHIP] });
    await session.send('Ship it.');
    await expect(session.decide('ship', 'approve')).rejects.toThrow(
      'decision: must be edit, reject or exit here',
    );
    await expect(session.decide('ship', { decision: 'edit', input: { city: 7 } })).rejects.toThrow(
      'input.city',
    );
    expect(await session.pending()).toHaveLength(1);
  });
});

describe('the tool that asks a person, in a session', () => {
  const ASK = { calls: [{ name: 'human_input', input: { question: 'Red or blue?' } }] };
  const startAsking = () => {
    const clock = createManualClock();
    const session = createTestSession(createDesk(humanInput()), { replies: [ASK, 'Done.'], clock });
    return { session, clock };
  };

  it('waits for a text and passes it to the model (AEA-08)', async () => {
    const { session } = startAsking();
    expect(await session.send('Paint it.')).toMatchObject({ outcome: 'suspended' });
    expect(await session.pending()).toMatchObject([
      { message: 'Red or blue?', allows: ['approve', 'edit', 'exit'] },
    ]);
    session.restart();
    await session.decide('human_input', { decision: 'edit', input: { text: 'Blue.' } });
    expect(getLastResults(session)).toEqual(['Blue.']);
  });

  it('lets the model continue after five minutes without an answer (AEA-02, AEA-08)', async () => {
    const { session, clock } = startAsking();
    await session.send('Paint it.');
    await clock.advance(299_999);
    expect(await session.pending()).toHaveLength(1);
    await clock.advance(1);
    expect(await session.settled()).toMatchObject({ outcome: 'completed' });
    expect(getLastResults(session)).toEqual(['Understood. Please continue.']);
  });

  it('ends the turn on an exit (AEA-06, AEA-08)', async () => {
    const { session } = startAsking();
    await session.send('Paint it.');
    expect(await session.decide('human_input', 'exit')).toMatchObject({
      outcome: 'cancelled',
      signal: { type: 'exit', reason: 'Rejected by reviewer: Red or blue?' },
    });
  });
});
