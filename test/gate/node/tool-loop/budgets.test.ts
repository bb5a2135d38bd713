import { describe, expect, it } from 'vitest';
import { type ChatModel, defineAgent, ModelError } from '../../../../src/index.ts';
import type { ModelReply } from '../../../../src/model/entry.ts';
import { budget } from '../../../../src/modules/limits/entry.ts';
import { createTestSession } from '../../../../src/testing/entry.ts';
import type { EventType } from '../../../doors/journal.ts';
import {
  createReplyWithUsage,
  createScene,
  listEvents,
  measureInput,
  PRICES,
  readReservedTokens,
} from './budget-scene.ts';
import { callTools, createReadingTool } from './scenes.ts';

describe('a loop without a token or cost limit', () => {
  it('reserves no tokens, sets no reply limit for its model, and waits for no append', async () => {
    const session = createScene([callTools('look'), 'Done.'], {
      warm: true,
      tools: [createReadingTool('look')],
      prices: PRICES,
    });
    await session.send('Go.');
    expect((await session.events()).map(({ type }) => type)).toEqual([
      'session-opened',
      'turn-started',
      'model-replied',
      'tool-call-started',
      'tool-call-ended',
      'model-replied',
      'turn-ended',
    ]);
    expect(session.requests.map((request) => 'maxOutputTokens' in request)).toEqual([false, false]);
  });
});

describe('a model call under a token limit', () => {
  it('is reserved and limited before it starts, and is settled by its usage', async () => {
    const input = await measureInput('Go.', [createReadingTool('look')]);
    const session = createScene(
      [createReplyWithUsage(100, 40, callTools('look')), createReplyWithUsage(120, 7, { text: 'Done.' })],
      {
        budget: { tokens: 50_000 },
        tools: [createReadingTool('look')],
      },
    );
    expect(await session.send('Go.')).toMatchObject({ outcome: 'completed', text: 'Done.' });
    const [first, second] = await readReservedTokens(session);
    expect(first).toEqual({ inputTokens: input, outputTokens: 4_096 });
    expect(session.requests.map(({ maxOutputTokens }) => maxOutputTokens)).toEqual([4_096, 4_096]);
    // The first request has a known number of tokens. Later content is counted in bytes.
    expect(second?.inputTokens).toBeGreaterThan(100);
    expect(second?.inputTokens).toBeLessThan(input);
  });

  it.each([
    ['has just enough tokens for a useful reply', 256, 'completed', 1],
    ['lacks one token for a useful reply', 255, 'limit-reached', 0],
  ])('has the right outcome if the budget %s', async (_, rest, outcome, asked) => {
    const input = await measureInput('Go.');
    const session = createScene([createReplyWithUsage(50, 5, { text: 'Done.' })], {
      budget: { tokens: input + rest },
    });
    expect(await session.send('Go.')).toMatchObject({ outcome, iterations: asked });
    expect(session.requests.map(({ maxOutputTokens }) => maxOutputTokens)).toEqual(asked ? [256] : []);
    const refused = { limit: 'tokens', most: input + rest, used: 0, needed: input + 256 };
    expect(await listEvents(session, 'model-refused')).toMatchObject(asked ? [] : [refused]);
  });

  it('ends the turn with its existing text if too few tokens are left', async () => {
    const session = createScene([createReplyWithUsage(900, 90, { text: 'I look.', ...callTools('look') })], {
      budget: { tokens: 3_000 },
      tools: [createReadingTool('look', () => 'x'.repeat(2_000))],
    });
    const answer = await session.send('Go.');
    expect(answer).toMatchObject({ outcome: 'limit-reached', text: 'I look.', iterations: 1, toolCalls: 1 });
    expect(await listEvents(session, 'model-refused')).toMatchObject([{ used: 990, most: 3_000 }]);
    expect(await session.send('Go on.')).toMatchObject({ outcome: 'limit-reached', iterations: 0 });
  });

  it('counts as its whole reservation if its model reports no usage or no input tokens', async () => {
    for (const usage of [null, { inputTokens: 0, outputTokens: 0 }]) {
      const session = createScene([{ usage, ...callTools('look') }, 'Done.'], {
        budget: { tokens: 6_500 },
        tools: [createReadingTool('look')],
      });
      expect(await session.send('Go.')).toMatchObject({ outcome: 'limit-reached' });
      const [first] = await readReservedTokens(session);
      const spent = (first?.inputTokens ?? 0) + (first?.outputTokens ?? 0);
      expect(await listEvents(session, 'model-refused')).toMatchObject([{ used: spent }]);
    }
  });

  it('is limited to the longest reply that its model declares', async () => {
    const session = createScene(['Done.'], { budget: { tokens: 50_000 }, maxOutputTokens: 100 });
    await session.send('Go.');
    expect((await readReservedTokens(session))[0]?.outputTokens).toBe(100);
  });

  it('is estimated from the usage that the previous turn reported', async () => {
    const session = createScene([createReplyWithUsage(40, 5, { text: 'One.' }), 'Two.'], {
      budget: { tokens: 50_000 },
    });
    await session.send('x'.repeat(3_000));
    session.restart();
    await session.send('And?');
    const [first, second] = await readReservedTokens(session);
    expect(first?.inputTokens).toBeGreaterThan(3_000);
    expect(second?.inputTokens).toBeLessThan(300);
  });
});

describe('the known usage of a long session', () => {
  it('is stored in the snapshot, so that later turns are not estimated from bytes', async () => {
    const turns = Array.from({ length: 60 }, (_, at) => `Turn ${at}.`);
    const session = createScene(
      [...turns.map((text, at) => createReplyWithUsage(2_000 + at, 5, { text })), 'Done.'],
      {
        budget: { tokens: 50_000 },
      },
    );
    await session.send('x'.repeat(20_000));
    for (let at = 1; at < turns.length; at += 1) await session.send('More.');
    session.restart();
    await session.send('And?');
    const [first, ...later] = (await readReservedTokens(session)).map(({ inputTokens }) => inputTokens);
    expect((await session.events()).length).toBeGreaterThan(240);
    expect(first).toBeGreaterThan(20_000);
    expect(Math.max(...later)).toBeLessThan(2_300);
  });
});

describe('an interrupted attempt of a model call', () => {
  it('counts as its whole reservation, and the next attempt makes its own', async () => {
    const die = () => {
      session.kill();
      return 'Lost.';
    };
    const session = createScene([die, createReplyWithUsage(50, 5, { text: 'Done.' })], {
      budget: { tokens: 50_000 },
    });
    expect(await session.send('Go.')).toMatchObject({ outcome: 'completed', text: 'Done.' });
    expect(await readReservedTokens(session)).toHaveLength(2);
    session.restart();
    // An ended turn has no frames.
    expect((await session.state()).turn?.usage).toEqual({ inputTokens: 50, outputTokens: 5 });
  });

  it('can leave too few tokens for another attempt', async () => {
    const input = await measureInput('Go.');
    const die = () => {
      session.kill();
      return 'Lost.';
    };
    const session = createScene([die, 'Done.'], { budget: { tokens: 2 * input + 4_096 + 255 } });
    expect(await session.send('Go.')).toMatchObject({ outcome: 'limit-reached', text: '' });
    expect(await listEvents(session, 'model-refused')).toMatchObject([{ used: input + 4_096 }]);
    expect(session.requests).toHaveLength(1);
  });

  it('is followed by a new reservation if its output had started', async () => {
    const broke = new ModelError('truncated', 'The stream broke off.', { outputBegan: true });
    const session = createScene([broke, createReplyWithUsage(50, 5, { text: 'Done.' })], {
      budget: { tokens: 50_000 },
    });
    expect(await session.send('Go.')).toMatchObject({ outcome: 'completed' });
    expect(await readReservedTokens(session)).toHaveLength(2);
  });

  it('is followed by a new reservation if an adapter retries, or by no further attempt', async () => {
    const agent = defineAgent({
      name: 'clerk',
      description: 'Works.',
      instructions: 'Work.',
      use: [budget({ tokens: 10_000 })],
    });
    let attempts = 0;
    const model = {
      name: 'retrying',
      async ask(_: unknown, { again }: { again?: (() => Promise<void>) | undefined }): Promise<ModelReply> {
        for (;;) {
          attempts += 1;
          await again?.();
        }
      },
    };
    const session = createTestSession(agent, { model });
    expect(await session.send('Go.')).toMatchObject({ outcome: 'limit-reached' });
    expect(attempts).toBe(2);
    const [first, second] = await readReservedTokens(session);
    expect(second).toEqual(first);
    expect(await listEvents(session, 'model-refused')).toHaveLength(1);
  });

  it('needs no new reservation if the provider refused it before any work', async () => {
    const agent = defineAgent({
      name: 'clerk',
      description: 'Works.',
      instructions: 'Work.',
      use: [budget({ tokens: 10_000 })],
    });
    const model: ChatModel = {
      name: 'busy',
      async ask(_, { again }) {
        for (let i = 0; i < 9; i += 1) await again?.('rate-limited');
        return { text: 'Done.', toolCalls: [], finish: 'stop' };
      },
    };
    const session = createTestSession(agent, { model });
    expect(await session.send('Go.')).toMatchObject({ outcome: 'completed' });
    expect(await readReservedTokens(session)).toHaveLength(1);
  });
});

describe('a restart between a request and its reply', () => {
  it('does not lose the request, which is journaled before the model is called', async () => {
    const types: EventType[][] = [];
    const session = createScene(
      [
        async () => {
          session.restart();
          types.push((await session.events()).map(({ type }) => type));
          return 'Done.';
        },
      ],
      { budget: { tokens: 50_000 } },
    );
    await session.send('Go.');
    expect(types).toEqual([['session-opened', 'turn-started', 'module-event']]);
  });
});
