/** A message that arrives while a turn runs: how the model sees it, and when it does not steer. */

import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { type AnyTool, defineAgent, defineTool, type Policies } from '../../../../src/index.ts';
import { defineSubagent } from '../../../../src/kinds/entry.ts';
import type { ModelRequest } from '../../../../src/model/entry.ts';
import { createTestSession, type ScriptedReply, type TestSession } from '../../../../src/testing/entry.ts';

/** The messages of a request, without system messages. */
const getShownTexts = (request: ModelRequest | undefined): readonly string[] =>
  (request?.messages ?? []).flatMap((message) => {
    switch (message.role) {
      case 'system':
        return [];
      case 'assistant':
        return [`assistant: ${message.text}${message.toolCalls.map(({ name }) => `[${name}]`).join('')}`];
      default:
        return [`${message.role}: ${message.text}`];
    }
  });

/** A session whose tools and replies can send it messages. */
function createScene(
  replies: readonly ScriptedReply[],
  make: (session: () => TestSession) => readonly AnyTool[],
  more: Partial<Parameters<typeof defineAgent>[0]> = {},
  policies: Policies = {},
) {
  let session: TestSession | undefined;
  const getCurrentSession = (): TestSession => {
    if (!session) throw new Error('There is no session yet.');
    return session;
  };
  const agent = defineAgent({
    name: 'tester',
    description: 'Tests.',
    instructions: '',
    policies,
    ...more,
    tools: make(getCurrentSession),
  });
  session = createTestSession(agent, { replies });
  return session;
}

/** A tool that sends a message to the turn that runs it. */
const createSteeringTool =
  (text: string, options: { readonly effect?: 'read' | 'once'; readonly returnDirect?: boolean } = {}) =>
  (session: () => TestSession): readonly AnyTool[] => [
    defineTool({
      name: 'work',
      description: 'Works.',
      ...options,
      run: async () => {
        await session().post(text, { whenBusy: 'steer' });
        return 'worked';
      },
    }),
  ];

const WORK_REPLY = { calls: [{ name: 'work' }] };

describe('a message for the running turn', () => {
  it.each(['read', 'once'] as const)(
    'is shown to the model in its next request, after the results of the running calls (%s)',
    async (effect) => {
      const session = createScene(
        [WORK_REPLY, 'Done, in blue.'],
        createSteeringTool('Make it blue.', { effect }),
      );
      const answer = await session.send('Paint it.');
      expect(answer).toMatchObject({ outcome: 'completed', text: 'Done, in blue.', iterations: 2 });
      expect(session.requests.map(getShownTexts)).toEqual([
        ['user: Paint it.'],
        ['user: Paint it.', 'assistant: [work]', 'tool: worked', 'user: Make it blue.'],
      ]);
      const types = (await session.events()).map(({ type }) => type);
      expect(types.filter((type) => type === 'turn-started' || type === 'turn-steered')).toEqual([
        'turn-started',
        'turn-steered',
      ]);
    },
  );

  it('is journaled with its sender, and with the id that its own turn would have had', async () => {
    const session = createScene([WORK_REPLY, 'Done.'], createSteeringTool('Make it blue.'));
    const { turn } = await session.send('Paint it.');
    const steered = (await session.events()).find(({ type }) => type === 'turn-steered');
    expect(steered).toEqual({
      seq: expect.any(Number),
      at: expect.any(Number),
      type: 'turn-steered',
      turn,
      as: expect.any(String),
      message: 'Make it blue.',
      context: {},
      principal: { id: 'tester' },
    });
  });

  it('is shown after the answer if it arrives while the model replies, and is answered too', async () => {
    let session: TestSession | undefined;
    const answerWhileSteered = async (): Promise<string> => {
      await session?.post('In blue?', { whenBusy: 'steer' });
      return 'Painted.';
    };
    session = createScene([answerWhileSteered, 'In blue.'], () => []);
    expect(await session.send('Paint it.')).toMatchObject({ outcome: 'completed', text: 'In blue.' });
    expect(session.requests.map(getShownTexts)).toEqual([
      ['user: Paint it.'],
      ['user: Paint it.', 'assistant: Painted.', 'user: In blue?'],
    ]);
  });

  it('is shown after the results if it arrives while the model requests calls', async () => {
    let session: TestSession | undefined;
    const steerAndCall = async (): Promise<ScriptedReply> => {
      await session?.post('In blue?', { whenBusy: 'steer' });
      return { calls: [{ name: 'note' }] };
    };
    const note = defineTool({ name: 'note', description: 'Notes.', effect: 'read', run: () => 'noted' });
    session = createScene([steerAndCall, 'In blue.'], () => [note]);
    await session.send('Paint it.');
    expect(getShownTexts(session.requests[1])).toEqual([
      'user: Paint it.',
      'assistant: [note]',
      'tool: noted',
      'user: In blue?',
    ]);
  });

  it('reaches the turn’s own loop, not a nested loop', async () => {
    const session = createScene(
      [{ calls: [{ name: 'helper', input: { message: 'Help.' } }] }, WORK_REPLY, 'Helped.', 'Done.'],
      (current) => [
        defineSubagent({
          name: 'helper',
          description: 'Helps.',
          agent: defineAgent({
            name: 'helper',
            description: 'Helps.',
            instructions: '',
            tools: createSteeringTool('Hurry.')(current),
          }),
        }),
      ],
    );
    expect(await session.send('Go.')).toMatchObject({ outcome: 'completed', text: 'Done.' });
    expect(getShownTexts(session.requests[2]).join()).not.toContain('Hurry.');
    expect(getShownTexts(session.requests[3]).at(-1)).toBe('user: Hurry.');
  });

  it('prevents a direct return, and the model answers both messages', async () => {
    const session = createScene(
      [WORK_REPLY, 'Worked, and blue.'],
      createSteeringTool('In blue.', { returnDirect: true }),
    );
    expect(await session.send('Go.')).toMatchObject({ outcome: 'completed', text: 'Worked, and blue.' });
  });

  it('is also answered if the turn is at its iteration limit', async () => {
    let session: TestSession | undefined;
    const steerAndAnswer = async (): Promise<string> => {
      await session?.post('And blue?', { whenBusy: 'steer' });
      return 'My best.';
    };
    const note = defineTool({ name: 'note', description: 'Notes.', effect: 'read', run: () => 'noted' });
    session = createScene([{ calls: [{ name: 'note' }] }, steerAndAnswer, 'Blue.'], () => [note], {
      limits: { iterations: 1 },
    });
    expect(await session.send('Go.')).toMatchObject({ outcome: 'limit-reached', text: 'Blue.' });
    expect(session.requests.map(({ settings }) => settings?.toolChoice)).toEqual([undefined, 'none', 'none']);
    expect(getShownTexts(session.requests[2]).slice(-3)).toEqual([
      'assistant: My best.',
      'user: And blue?',
      expect.stringMatching(/^user: /),
    ]);
  });

  it('is answered in the output schema of the agent', async () => {
    const output = v.object({ color: v.string() });
    const session = createScene([WORK_REPLY, 'no form', '{"color":"blue"}'], createSteeringTool('In blue.'), {
      output,
    });
    expect(await session.send('Go.')).toMatchObject({ outcome: 'completed', object: { color: 'blue' } });
    expect(getShownTexts(session.requests[1]).at(-1)).toBe('user: In blue.');
  });

  it('is answered in a second output if it arrives after the first', async () => {
    let session: TestSession | undefined;
    const steerAtFirst = async (): Promise<string> => {
      await session?.post('No: red.', { whenBusy: 'steer' });
      return '{"color":"blue"}';
    };
    const output = v.object({ color: v.string() });
    session = createScene([steerAtFirst, '{"color":"red"}'], () => [], { output });
    expect(await session.send('Go.')).toMatchObject({ outcome: 'completed', object: { color: 'red' } });
  });

  it('becomes its own turn if the turn was cancelled', async () => {
    const session = createScene([WORK_REPLY, 'Next.'], (current) => [
      defineTool({
        name: 'work',
        description: 'Works.',
        effect: 'read',
        run: async () => {
          await current().cancel();
          await current().post('And this?', { whenBusy: 'steer' });
          return 'worked';
        },
      }),
    ]);
    expect(await session.send('Go.')).toMatchObject({ outcome: 'cancelled' });
    await expect.poll(() => session.requests.length).toBe(2);
    expect(await session.settled()).toMatchObject({ outcome: 'completed', text: 'Next.' });
    expect((await session.events()).map(({ type }) => type)).not.toContain('turn-steered');
  });

  it('is processed by the next holder if it arrives when the turn is killed', async () => {
    let runs = 0;
    const make = (current: () => TestSession) => [
      defineTool({
        name: 'work',
        description: 'Works.',
        effect: 'idempotent',
        run: async () => {
          runs += 1;
          if (runs === 1) {
            const posted = current().post('In blue.', { whenBusy: 'steer' });
            current().kill();
            await posted;
          }
          return 'worked';
        },
      }),
    ];
    // With the policy `anyone`, the message is stored before the kill, because no check of the owner precedes
    // it.
    const session = createScene([WORK_REPLY, 'Done, in blue.'], make, {}, { steering: 'anyone' });
    expect(await session.send('Go.')).toMatchObject({ outcome: 'completed', text: 'Done, in blue.' });
    expect(getShownTexts(session.requests.at(-1)).at(-1)).toBe('user: In blue.');
  });

  const createToolSaidBy = (by: string) => (session: () => TestSession) => [
    defineTool({
      name: 'work',
      description: 'Works.',
      run: async () =>
        (await session().post('Make it blue.', { whenBusy: 'steer', principal: { id: by } })).status,
    }),
  ];

  it('becomes its own turn if its sender did not start the running turn', async () => {
    const session = createScene([WORK_REPLY, 'Done.', 'Blue now.'], createToolSaidBy('bob'));
    expect(await session.send('Paint it.', { principal: { id: 'ann' } })).toMatchObject({ text: 'Done.' });
    await expect.poll(() => session.requests.length).toBe(3);
    expect(await session.settled()).toMatchObject({ outcome: 'completed', text: 'Blue now.' });
    expect(getShownTexts(session.requests[1])).toEqual([
      'user: Paint it.',
      'assistant: [work]',
      'tool: queued',
    ]);
    const started = (await session.events()).flatMap((event) =>
      event.type === 'turn-started' ? [[event.principal, event.message]] : [],
    );
    expect(started).toEqual([
      [{ id: 'ann' }, 'Paint it.'],
      [{ id: 'bob' }, 'Make it blue.'],
    ]);
  });

  it.each([
    ['from the requester of the turn', 'ann', undefined],
    ['from another person, if anyone may steer', 'bob', 'anyone'],
  ] as const)('is shown to the model if it is %s', async (_, by, steering) => {
    const session = createScene([WORK_REPLY, 'Blue.'], createToolSaidBy(by), {}, { steering });
    expect(await session.send('Paint it.', { principal: { id: 'ann' } })).toMatchObject({ text: 'Blue.' });
    expect(getShownTexts(session.requests[1]).slice(-2)).toEqual(['tool: steering', 'user: Make it blue.']);
    const steered = (await session.events()).find((event) => event.type === 'turn-steered');
    expect(steered).toMatchObject({ principal: { id: by } });
  });
});

describe('a message that waits for the running turn', () => {
  it('becomes its own turn after the running turn, in order of arrival', async () => {
    const turns: string[] = [];
    const session = createScene([WORK_REPLY, 'First.', 'Second.', 'Third.'], (current) => [
      defineTool({
        name: 'work',
        description: 'Works.',
        effect: 'read',
        run: async () => {
          for (const text of ['Two?', 'Three?']) {
            turns.push((await current().post(text, { whenBusy: 'queue' })).turn);
          }
          return 'worked';
        },
      }),
    ]);
    expect(await session.send('One?')).toMatchObject({ text: 'First.' });
    const answers = await Promise.all(turns.map((turn) => session.answer(turn)));
    expect(answers.map(({ text }) => text)).toEqual(['Second.', 'Third.']);
    expect(getShownTexts(session.requests[3])).toEqual([
      'user: One?',
      'assistant: [work]',
      'tool: worked',
      'assistant: First.',
      'user: Two?',
      'assistant: Second.',
      'user: Three?',
    ]);
  });

  it('can be cancelled before its model call', async () => {
    let waiting = '';
    const session = createScene([WORK_REPLY, 'First.'], (current) => [
      defineTool({
        name: 'work',
        description: 'Works.',
        effect: 'read',
        run: async () => {
          ({ turn: waiting } = await current().post('Two?', { whenBusy: 'queue' }));
          await current().cancel(waiting);
          return 'worked';
        },
      }),
    ]);
    await session.send('One?');
    expect(await session.answer(waiting)).toMatchObject({ outcome: 'cancelled', text: '', iterations: 0 });
    expect(session.requests.length).toBe(2);
  });

  it('is refused if it does not ask to wait', async () => {
    const session = createScene([WORK_REPLY, 'First.'], (current) => [
      defineTool({
        name: 'work',
        description: 'Works.',
        effect: 'read',
        run: () =>
          expect(current().post('Two?')).rejects.toThrow('The session did not accept the message (busy).'),
      }),
    ]);
    expect(await session.send('One?')).toMatchObject({ outcome: 'completed' });
  });
});
