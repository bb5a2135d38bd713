import { describe, expect, it } from 'vitest';
import { withName } from '../../../../src/modules/decorators/entry.ts';
import { budget } from '../../../../src/modules/limits/entry.ts';
import {
  createReplyWithUsage,
  createScene,
  getReservation,
  listEvents,
  PRICES,
  readReservations,
  readReservedTokens,
} from './budget-scene.ts';
import { callTools, createDiggingTool, createReadingTool, getShownResults } from './scenes.ts';

describe('the token limit of a nested loop', () => {
  const inner = [
    createReplyWithUsage(500, 50, callTools('look')),
    createReplyWithUsage(500, 50, { text: 'Found.' }),
  ];

  it('ends only that loop, and its caller receives the reason (SUB-09)', async () => {
    const session = createScene([callTools('dig'), 'Done.'], {
      tools: [createDiggingTool([createReadingTool('look')], { uses: [budget({ tokens: 300 })] })],
    });
    expect(await session.send('Go.')).toMatchObject({ outcome: 'completed', text: 'Done.' });
    expect(getShownResults(session.requests[1])).toEqual([
      'limit-reached: Stopped: the limit of 300 tokens was reached before there was an answer.',
    ]);
  });

  it('is reported in USD if the loop has a cost limit instead', async () => {
    const session = createScene([callTools('dig'), 'Done.'], {
      tools: [createDiggingTool([createReadingTool('look')], { uses: [budget({ cost: 0.001 })] })],
      prices: PRICES,
    });
    await session.send('Go.');
    expect(getShownResults(session.requests[1])).toEqual([
      'limit-reached: Stopped: the cost limit of $0.001 was reached before there was an answer.',
    ]);
  });

  it('cannot exceed the remaining tokens of the outer limit (SUB-09)', async () => {
    const session = createScene(
      [createReplyWithUsage(100, 10, callTools('dig')), createReplyWithUsage(1_500, 300, callTools('look'))],
      {
        budget: { tokens: 2_500 },
        tools: [createDiggingTool([createReadingTool('look')], { uses: [budget({ tokens: 1_000_000 })] })],
      },
    );
    await session.send('Go.');
    const refused = await listEvents(session, 'model-refused');
    const asked = await readReservations(session);
    const bound = Math.max(...asked.map(({ reserved }) => reserved.inputTokens + reserved.outputTokens));
    expect(bound).toBeLessThanOrEqual(2_500);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused.every(({ most }) => most === 2_500)).toBe(true);
    expect(asked.some(({ frame }) => frame !== undefined)).toBe(true);
  });

  it('counts usage both inside and outside the loop', async () => {
    const session = createScene(
      [
        createReplyWithUsage(100, 10, callTools('dig')),
        ...inner,
        createReplyWithUsage(100, 10, { text: 'Done.' }),
      ],
      {
        budget: { tokens: 20_000 },
        tools: [createDiggingTool([createReadingTool('look')])],
      },
    );
    expect(await session.send('Go.')).toMatchObject({ usage: { inputTokens: 1_200, outputTokens: 120 } });
    expect(await readReservedTokens(session)).toHaveLength(4);
  });

  it('makes a loop wait for reservations of parallel loops', async () => {
    const tools = ['dig_a', 'dig_b'].map((name) =>
      withName(createDiggingTool([], { message: 'x'.repeat(2_500) }), name),
    );
    const replies = [callTools('dig_a', 'dig_b'), 'One.', 'Two.', 'Done.'];
    const play = async (tokens: number) => {
      const session = createScene(replies, { tools, budget: { tokens }, maxOutputTokens: 300 });
      await session.send('Go.');
      return (await session.events()).flatMap((event) =>
        'frame' in event && (event.type === 'model-replied' || getReservation(event)) ? [event] : [],
      );
    };
    const apart = await play(100_000);
    expect(apart.map(({ type }) => type)).toEqual([
      'module-event',
      'module-event',
      'model-replied',
      'model-replied',
    ]);
    const [first] = apart;
    const one = (first ? (getReservation(first)?.reserved.inputTokens ?? 0) : 0) + 300;
    // The first reply of the turn used 15 tokens. One more call fits, but not two.
    const together = await play(15 + one + 100);
    expect(together.map(({ type }) => type)).toEqual([
      'module-event',
      'model-replied',
      'module-event',
      'model-replied',
    ]);
  });

  it('is still in force if the loop resumes after a kill inside it', async () => {
    const die = () => {
      session.kill();
      return 'Lost.';
    };
    const session = createScene([callTools('dig'), die, 'Found.', 'Done.'], {
      tools: [createDiggingTool([createReadingTool('look')], { uses: [budget({ tokens: 5_000 })] })],
    });
    await session.send('Go.');
    // The first attempt counts, so its reservation leaves no room for a second one.
    expect(getShownResults(session.requests.at(-1))).toEqual([
      'limit-reached: Stopped: the limit of 5000 tokens was reached before there was an answer.',
    ]);
  });
});
