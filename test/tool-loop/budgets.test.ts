import { describe, expect, it } from 'vitest';
import { defineAgent } from '../../src/agent/define-agent.ts';
import { defineAgenticTool } from '../../src/agentic/define-agentic-tool.ts';
import type { SessionEvent } from '../../src/journal/events.ts';
import { ModelError, type ModelReply } from '../../src/model/chat-model.ts';
import { createManualClock } from '../../src/testing/manual-clock.ts';
import {
  type ScriptedModelOptions,
  type ScriptedReply,
  scriptedModel,
} from '../../src/testing/scripted-model.ts';
import { createTestSession, type TestSession } from '../../src/testing/test-session.ts';
import { withName } from '../../src/tools/decorators/with-name.ts';
import type { AnyTool, Limits } from '../../src/tools/tool.ts';
import { calls, digs, reads, shownResults } from './scenes.ts';

interface Scene extends ScriptedModelOptions {
  readonly limits?: Limits;
  readonly tools?: readonly AnyTool[];
}

/** One session of an agent whose model follows a script. */
function scene(replies: readonly ScriptedReply[], { limits, tools = [], ...model }: Scene = {}): TestSession {
  const agent = defineAgent({ name: 'clerk', description: 'Works.', instructions: 'Work.', tools, limits });
  return createTestSession(agent, { model: scriptedModel(replies, model), clock: createManualClock(1_000) });
}

type Type = SessionEvent['type'];

async function eventsOf<T extends Type>(session: TestSession, type: T) {
  const events = (await session.events()).map(({ event }) => event);
  return events.filter((event): event is Extract<SessionEvent, { type: T }> => event.type === type);
}

const reservedIn = async (session: TestSession) =>
  (await eventsOf(session, 'model-asked')).map(({ reserved }) => reserved);

/** What is held back for the input of a message in this scene: the least that its request can be. */
async function inputOf(message: string, tools?: readonly AnyTool[]): Promise<number> {
  const session = scene(['Done.'], { limits: { tokens: 1_000_000 }, ...(tools && { tools }) });
  await session.send(message);
  return (await reservedIn(session))[0]?.inputTokens ?? 0;
}

const used = (inputTokens: number, outputTokens: number, more: object = {}) => ({
  ...more,
  usage: { inputTokens, outputTokens },
});

const PRICES = { input: 3, output: 15 };

describe('a loop without a token or cost limit', () => {
  it('holds nothing back, tells its model of no bound, and waits for no append', async () => {
    const session = scene([calls('look'), 'Done.'], { tools: [reads('look')], prices: PRICES });
    await session.send('Go.');
    expect((await session.events()).map(({ event }) => event.type)).toEqual([
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
  it('is held back before it is asked, told its bound, and settled by what it used', async () => {
    const input = await inputOf('Go.', [reads('look')]);
    const session = scene([used(100, 40, calls('look')), used(120, 7, { text: 'Done.' })], {
      limits: { tokens: 50_000 },
      tools: [reads('look')],
    });
    expect(await session.send('Go.')).toMatchObject({ outcome: 'completed', text: 'Done.' });
    const [first, second] = await reservedIn(session);
    expect(first).toEqual({ inputTokens: input, outputTokens: 4_096 });
    expect(session.requests.map(({ maxOutputTokens }) => maxOutputTokens)).toEqual([4_096, 4_096]);
    // The first request is known to have had 100 tokens; what came to it since is counted in bytes.
    expect(second?.inputTokens).toBeGreaterThan(100);
    expect(second?.inputTokens).toBeLessThan(input);
  });

  it.each([
    ['just enough for a useful reply', 256, 'completed', 1],
    ['one token too few for it', 255, 'limit-reached', 0],
  ])('with %s', async (_, rest, outcome, asked) => {
    const input = await inputOf('Go.');
    const session = scene([used(50, 5, { text: 'Done.' })], { limits: { tokens: input + rest } });
    expect(await session.send('Go.')).toMatchObject({ outcome, iterations: asked });
    expect(session.requests.map(({ maxOutputTokens }) => maxOutputTokens)).toEqual(asked ? [256] : []);
    const refused = { limit: 'tokens', most: input + rest, used: 0, needed: input + 256 };
    expect(await eventsOf(session, 'model-refused')).toMatchObject(asked ? [] : [refused]);
  });

  it('that leaves too little ends the turn with the words that there are', async () => {
    const session = scene([used(900, 90, { text: 'I look.', ...calls('look') })], {
      limits: { tokens: 3_000 },
      tools: [reads('look', () => 'x'.repeat(2_000))],
    });
    const answer = await session.send('Go.');
    expect(answer).toMatchObject({ outcome: 'limit-reached', text: 'I look.', iterations: 1, toolCalls: 1 });
    expect(await eventsOf(session, 'model-refused')).toMatchObject([{ used: 990, most: 3_000 }]);
    expect(await session.send('Go on.')).toMatchObject({ outcome: 'limit-reached', iterations: 0 });
  });

  it('counts as all that was held back when its model reports no usage, or none of its input', async () => {
    for (const usage of [null, { inputTokens: 0, outputTokens: 0 }]) {
      const session = scene([{ usage, ...calls('look') }, 'Done.'], {
        limits: { tokens: 6_500 },
        tools: [reads('look')],
      });
      expect(await session.send('Go.')).toMatchObject({ outcome: 'limit-reached' });
      const [first] = await reservedIn(session);
      const spent = (first?.inputTokens ?? 0) + (first?.outputTokens ?? 0);
      expect(await eventsOf(session, 'model-refused')).toMatchObject([{ used: spent }]);
    }
  });

  it('keeps to the longest reply that its model declares', async () => {
    const session = scene(['Done.'], { limits: { tokens: 50_000 }, maxOutputTokens: 100 });
    await session.send('Go.');
    expect((await reservedIn(session))[0]?.outputTokens).toBe(100);
  });

  it('of a later turn is measured by what the turn before it reported', async () => {
    const session = scene([used(40, 5, { text: 'One.' }), 'Two.'], { limits: { tokens: 50_000 } });
    await session.send('x'.repeat(3_000));
    session.restart();
    await session.send('And?');
    const [first, second] = await reservedIn(session);
    expect(first?.inputTokens).toBeGreaterThan(3_000);
    expect(second?.inputTokens).toBeLessThan(300);
  });
});

describe('what is known of a long session', () => {
  it('is in its snapshot: later turns are not counted in bytes', async () => {
    const turns = Array.from({ length: 60 }, (_, at) => `Turn ${at}.`);
    const session = scene([...turns.map((text, at) => used(2_000 + at, 5, { text })), 'Done.'], {
      limits: { tokens: 50_000 },
    });
    await session.send('x'.repeat(20_000));
    for (let at = 1; at < turns.length; at += 1) await session.send('More.');
    session.restart();
    await session.send('And?');
    const [first, ...later] = (await reservedIn(session)).map(({ inputTokens }) => inputTokens);
    expect((await session.events()).length).toBeGreaterThan(240);
    expect(first).toBeGreaterThan(20_000);
    expect(Math.max(...later)).toBeLessThan(2_300);
  });
});

describe('an attempt that died', () => {
  it('counts as all that was held back for it, and the next one is held back by itself', async () => {
    const dies = () => {
      session.kill();
      return 'Lost.';
    };
    const session = scene([dies, used(50, 5, { text: 'Done.' })], { limits: { tokens: 50_000 } });
    expect(await session.send('Go.')).toMatchObject({ outcome: 'completed', text: 'Done.' });
    expect(await reservedIn(session)).toHaveLength(2);
    session.restart();
    // Nothing is left of it: the frames of a turn that has ended are gone.
    expect((await session.state()).turn?.usage).toEqual({ inputTokens: 50, outputTokens: 5 });
  });

  it('may leave too little for another', async () => {
    const input = await inputOf('Go.');
    const dies = () => {
      session.kill();
      return 'Lost.';
    };
    const session = scene([dies, 'Done.'], { limits: { tokens: 2 * input + 4_096 + 255 } });
    expect(await session.send('Go.')).toMatchObject({ outcome: 'limit-reached', text: '' });
    expect(await eventsOf(session, 'model-refused')).toMatchObject([{ used: input + 4_096 }]);
    expect(session.requests).toHaveLength(1);
  });

  it('after its output had begun is followed by one that is held back anew', async () => {
    const broke = new ModelError('truncated', 'It broke.', { outputBegan: true });
    const session = scene([broke, used(50, 5, { text: 'Done.' })], { limits: { tokens: 50_000 } });
    expect(await session.send('Go.')).toMatchObject({ outcome: 'completed' });
    expect(await reservedIn(session)).toHaveLength(2);
  });

  it('of an adapter is followed by one that is held back anew, or not at all', async () => {
    const agent = defineAgent({
      name: 'clerk',
      description: 'Works.',
      instructions: 'Work.',
      limits: { tokens: 10_000 },
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
    const [first, second] = await reservedIn(session);
    expect(second).toEqual(first);
    expect(await eventsOf(session, 'model-refused')).toHaveLength(1);
  });
});

describe('a restart between the question and the reply', () => {
  it('finds the question in the journal before the model is asked', async () => {
    const types: Type[][] = [];
    const session = scene(
      [
        async () => {
          session.restart();
          types.push((await session.events()).map(({ event }) => event.type));
          return 'Done.';
        },
      ],
      { limits: { tokens: 50_000 } },
    );
    await session.send('Go.');
    expect(types).toEqual([['session-opened', 'turn-started', 'model-asked']]);
  });
});

describe('a cost limit', () => {
  it('counts in USD by the prices of the model, which answers tell too', async () => {
    const session = scene([used(1_000, 200, calls('look')), used(1_000, 100, { text: 'Done.' })], {
      limits: { cost: 0.5 },
      tools: [reads('look')],
      prices: PRICES,
    });
    const answer = await session.send('Go.');
    expect(answer.usage).toEqual({ inputTokens: 2_000, outputTokens: 300, cost: 0.0105 });
    const [first] = await reservedIn(session);
    expect(first?.cost).toBe((((first?.inputTokens ?? 0) * 3 + 4_096 * 15) * 1e6) / 1e12);
  });

  it.each([
    [256, 'completed'],
    [255, 'limit-reached'],
  ])('with room for %i tokens of output', async (rest, outcome) => {
    const input = await inputOf('Go.');
    const cost = (input * PRICES.input + rest * PRICES.output) / 1e6;
    const session = scene(['Done.'], { limits: { cost }, prices: PRICES });
    expect(await session.send('Go.')).toMatchObject({ outcome });
    expect(session.requests.map(({ maxOutputTokens }) => maxOutputTokens)).toEqual(rest === 256 ? [256] : []);
  });

  it('of a model that costs nothing bounds nothing', async () => {
    const session = scene(['Done.'], { limits: { cost: 0.000001 }, prices: { input: 0, output: 0 } });
    expect(await session.send('Go.')).toMatchObject({ outcome: 'completed', usage: { cost: 0 } });
  });

  it('without a price is an error of the definition, where the model is known', () => {
    const model = scriptedModel([]);
    const agent = { name: 'clerk', description: 'Works.', instructions: '', limits: { cost: 1 } };
    const problem =
      "has a cost limit, but its model 'scripted' has no prices: give the model 'prices' in USD per million tokens.";
    expect(() => defineAgent({ ...agent, model })).toThrow(`Agent 'clerk' ${problem}`);
    const dig = { name: 'dig', description: 'Digs.', tools: [reads('look')], limits: { cost: 1 } };
    expect(() => defineAgenticTool({ ...dig, model })).toThrow(`Tool 'dig': it ${problem}`);
  });

  it('without a price fails the turn where the app gives the model', async () => {
    const session = scene(['Done.'], { limits: { cost: 1 } });
    expect(await session.send('Go.')).toMatchObject({
      outcome: 'failed',
      error: {
        type: 'misconfigured',
        message:
          "Agent 'clerk' has a cost limit, but its model 'scripted' has no prices: give the model 'prices' in USD per million tokens.",
      },
    });
    expect(session.requests).toEqual([]);
  });

  it('without a price fails the turn when a nested loop brings its own model', async () => {
    const dig = defineAgenticTool({
      name: 'dig',
      description: 'Digs.',
      tools: [reads('look')],
      model: scriptedModel(['Dug.']),
    });
    const session = scene([calls('dig')], { limits: { cost: 1 }, tools: [dig], prices: PRICES });
    expect(await session.send('Go.')).toMatchObject({
      outcome: 'failed',
      error: {
        type: 'misconfigured',
        message:
          "The loop of 'dig' has a cost limit, but its model 'scripted' has no prices: give the model 'prices' in USD per million tokens.",
      },
    });
  });

  it.each([
    [{ tokens: 0 }, "Agent 'clerk' has a limit 'tokens' of 0: use a positive whole number."],
    [{ tokens: 1.5 }, "Agent 'clerk' has a limit 'tokens' of 1.5: use a positive whole number."],
    [{ cost: 0 }, "Agent 'clerk' has a limit 'cost' of 0: use a positive number of USD."],
    [{ cost: Number.NaN }, "Agent 'clerk' has a limit 'cost' of NaN: use a positive number of USD."],
  ])('and a token limit are numbers that make sense: %j', (limits, message) => {
    const agent = { name: 'clerk', description: 'Works.', instructions: '', limits };
    expect(() => defineAgent(agent)).toThrow(message);
  });
});

describe('the limit of a nested loop', () => {
  const inner = [used(500, 50, calls('look')), used(500, 50, { text: 'Found.' })];

  it('ends that loop only, and its caller is told why (SUB-09)', async () => {
    const session = scene([calls('dig'), 'Done.'], {
      tools: [digs([reads('look')], { limits: { tokens: 300 } })],
    });
    expect(await session.send('Go.')).toMatchObject({ outcome: 'completed', text: 'Done.' });
    expect(shownResults(session.requests[1])).toEqual([
      'limit-reached: Stopped: the limit of 300 tokens was reached before there was an answer.',
    ]);
  });

  it('on cost is told in USD', async () => {
    const session = scene([calls('dig'), 'Done.'], {
      tools: [digs([reads('look')], { limits: { cost: 0.001 } })],
      prices: PRICES,
    });
    await session.send('Go.');
    expect(shownResults(session.requests[1])).toEqual([
      'limit-reached: Stopped: the cost limit of $0.001 was reached before there was an answer.',
    ]);
  });

  it('does not lift the one around it: what is left there bounds both (SUB-09)', async () => {
    const session = scene([calls('dig'), ...inner, used(100, 10, { text: 'Done.' })], {
      limits: { tokens: 6_000 },
      tools: [digs([reads('look')], { limits: { tokens: 1_000_000 } })],
    });
    await session.send('Go.');
    const refused = await eventsOf(session, 'model-refused');
    const asked = await eventsOf(session, 'model-asked');
    const bound = Math.max(...asked.map(({ reserved }) => reserved.inputTokens + reserved.outputTokens));
    expect(bound).toBeLessThanOrEqual(6_000);
    expect(refused.every(({ most }) => most === 6_000)).toBe(true);
    expect(asked.some(({ frame }) => frame !== undefined)).toBe(true);
  });

  it('counts there and around it', async () => {
    const session = scene([used(100, 10, calls('dig')), ...inner, used(100, 10, { text: 'Done.' })], {
      limits: { tokens: 20_000 },
      tools: [digs([reads('look')])],
    });
    expect(await session.send('Go.')).toMatchObject({ usage: { inputTokens: 1_200, outputTokens: 120 } });
    expect(await reservedIn(session)).toHaveLength(4);
  });

  it('is waited for where loops side by side hold back what one of them could do with', async () => {
    const tools = ['dig_a', 'dig_b'].map((name) => withName(digs([], { message: 'x'.repeat(2_500) }), name));
    const replies = [calls('dig_a', 'dig_b'), 'One.', 'Two.', 'Done.'];
    const play = async (tokens: number) => {
      const session = scene(replies, { tools, limits: { tokens }, maxOutputTokens: 300 });
      await session.send('Go.');
      return (await session.events()).flatMap(({ event }) =>
        'frame' in event && event.type.startsWith('model-') ? [event] : [],
      );
    };
    const apart = await play(100_000);
    expect(apart.map(({ type }) => type)).toEqual([
      'model-asked',
      'model-asked',
      'model-replied',
      'model-replied',
    ]);
    const [first] = apart;
    const one = first?.type === 'model-asked' ? first.reserved.inputTokens + 300 : 0;
    // The first reply of the turn used 15; one call fits beside it, and two do not.
    const together = await play(15 + one + 100);
    expect(together.map(({ type }) => type)).toEqual([
      'model-asked',
      'model-replied',
      'model-asked',
      'model-replied',
    ]);
  });

  it('is kept when it is resumed after a kill inside it', async () => {
    const dies = () => {
      session.kill();
      return 'Lost.';
    };
    const session = scene([calls('dig'), dies, 'Found.', 'Done.'], {
      tools: [digs([reads('look')], { limits: { tokens: 5_000 } })],
    });
    await session.send('Go.');
    // The first attempt is counted: what it held back does not leave room for a second.
    expect(shownResults(session.requests.at(-1))).toEqual([
      'limit-reached: Stopped: the limit of 5000 tokens was reached before there was an answer.',
    ]);
  });
});
