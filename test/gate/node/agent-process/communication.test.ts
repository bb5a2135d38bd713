import { describe, expect, it, vi } from 'vitest';
import { type AnyTool, type CallContext, defineAgent } from '../../../../src/index.ts';
import { type CallRun, communicateTool, progressTool } from '../../../../src/kinds/entry.ts';
import type { ModelRequest } from '../../../../src/model/entry.ts';
import { inspect, type ToolCallSeen } from '../../../../src/modules/inspect/entry.ts';
import { defineTransformer } from '../../../../src/modules/transformers/entry.ts';
import { createManualClock, createTestSession, type TestSession } from '../../../../src/testing/entry.ts';
import type { FeedItem } from '../../../doors/session.ts';
import { toToolResult } from '../../../doors/tools.ts';
import { captureWarnings } from '../../../fixtures/warnings.ts';
import { createMemoryApp } from '../session/memory-app.ts';
import { createDiggingTool, createReadingTool, getShownResults } from '../tool-loop/scenes.ts';
import { createFakeInvocation } from '../tools/fake-invocation.ts';

const agent = defineAgent({
  name: 'clerk',
  description: 'Works.',
  instructions: 'Work.',
  tools: [progressTool(), communicateTool()],
});

/**
 * Makes the model call this tool with this input, and returns the result that it receives. A text is sent
 * unchanged as the input.
 */
async function runCall(name: string, input: unknown) {
  const session = createTestSession(agent, { replies: [{ calls: [{ name, input }] }, 'Done.'] });
  const answer = await session.send('Go.');
  const last = session.requests[1]?.messages.at(-1);
  return { session, answer, text: last?.role === 'tool' ? last.text : undefined };
}

const readMessages = async (session: TestSession): Promise<readonly string[]> =>
  (await session.events()).flatMap((event) => (event.type === 'message-sent' ? [event.text] : []));

/** Calls a tool outside the loop, for example without a session or with a channel that fails. */
async function callTool(tool: AnyTool, input: Record<string, string>, scope: Partial<CallContext>) {
  const call: CallRun = {
    ...createFakeInvocation(tool.name).call,
    ...scope,
    execute: async (leaf) => toToolResult(tool.name, await leaf.run(call)),
  };
  return tool.call(input, call);
}

describe('progress', () => {
  it('accepts one required parameter of text', () => {
    expect(progressTool()).toMatchObject({
      name: 'progress',
      effect: 'read',
      inputSchema: {
        type: 'object',
        properties: { status: { type: 'string', description: 'What you are doing, in a few words' } },
        required: ['status'],
      },
    });
  });

  it('shows its status to watchers, and does not store it (COM-01)', async () => {
    const replies = [{ calls: [{ name: 'progress', input: { status: 'Reading.' } }] }, 'Done.'];
    const app = createMemoryApp({ tools: [progressTool()], replies });
    const shown: FeedItem[] = [];
    await app.say('Go.', { show: (item) => shown.push(item) });
    expect(shown.filter(({ type }) => type === 'progress')).toMatchObject([{ status: 'Reading.' }]);
    expect(app.model.requests[1]?.messages.at(-1)).toMatchObject({ text: 'Progress reported: Reading.' });
    const turn = (await app.state()).turn?.id ?? '';
    expect((await app.events(turn)).map(({ type }) => type)).not.toContain('message-sent');
  });

  it('returns an acknowledgment and logs a warning if there are no watchers (COM-04)', async () => {
    const warned = captureWarnings();
    const progress = vi.fn();
    const result = await callTool(progressTool(), { status: 'Reading.' }, { inSession: false, progress });
    expect(result.content).toBe('Progress noted (no active process to display it).');
    expect(warned).toEqual(['holdfast: progress was reported outside a session, so no one sees it.']);
    expect(progress).not.toHaveBeenCalled();
  });

  it('does not fail if the status cannot be shown (COM-05)', async () => {
    const warned = captureWarnings();
    const progress = (): never => {
      throw new Error('The channel is closed.');
    };
    const result = await callTool(progressTool(), { status: 'Reading.' }, { progress });
    expect(result).toEqual({ type: 'text', content: 'Progress reported: Reading.' });
    expect(warned).toHaveLength(1);
  });
});

describe('communicate', () => {
  it('accepts one required parameter of text', () => {
    expect(communicateTool().inputSchema).toEqual({
      type: 'object',
      properties: { message: { type: 'string', description: 'What to say to the user' } },
      required: ['message'],
    });
  });

  it('sends a message, which is journaled together with the end of the call (COM-02, S0-122)', async () => {
    const { session, answer, text } = await runCall('communicate', { message: 'Half way.' });
    expect(text).toBe('Message sent to user.');
    expect(await readMessages(session)).toEqual(['Half way.']);
    expect(answer).toMatchObject({ outcome: 'completed', text: 'Done.' });
    const types = (await session.events()).map(({ type }) => type);
    expect(types.indexOf('message-sent')).toBe(types.indexOf('tool-call-ended') - 1);
  });

  it('sends the message once, even if the Worker is killed afterwards', async () => {
    const asks = { calls: [{ name: 'communicate', input: { message: 'Half way.' } }] };
    const die = () => {
      session.kill();
      return 'Lost.';
    };
    // At this point the first reply may or may not be stored.
    const replyAgain = ({ messages }: ModelRequest) => (messages.at(-1)?.role === 'tool' ? 'Done.' : asks);
    const session: TestSession = createTestSession(agent, {
      replies: [asks, die, replyAgain, 'Done.'],
      clock: createManualClock(),
    });
    await session.send('Go.');
    expect(await readMessages(session)).toEqual(['Half way.']);
    session.restart();
    expect(await readMessages(session)).toEqual(['Half way.']);
  });

  it('returns an acknowledgment and logs a warning if the user cannot be reached (COM-04)', async () => {
    const warned = captureWarnings();
    const say = vi.fn();
    const result = await callTool(communicateTool(), { message: 'Hello.' }, { inSession: false, say });
    expect(result.content).toBe('Message noted (no active process to deliver it).');
    expect(warned).toEqual(['holdfast: a message was sent outside a session, so no one receives it.']);
    expect(say).not.toHaveBeenCalled();
  });

  it('does not report success if the message cannot be sent (COM-05)', async () => {
    const say = (): never => {
      throw new Error('The channel is closed.');
    };
    await expect(callTool(communicateTool(), { message: 'Hello.' }, { say })).rejects.toThrow(
      'The channel is closed.',
    );
  });
});

describe('a message that a call sends to the user', () => {
  const createTellingTool = (name: string, ...words: readonly string[]) =>
    createReadingTool(name, (call) => {
      for (const text of words) call.say(text);
      return 'Found.';
    });
  const createHoldingAgent = (...tools: readonly AnyTool[]) =>
    defineAgent({ name: 'clerk', description: 'Works.', instructions: 'Work.', tools });
  const both = { calls: [{ name: 'find' }, { name: 'communicate', input: { message: 'Half way.' } }] };

  it('is part of the answer of its turn, but not of other answers (COM-02, S0-122)', async () => {
    const session = createTestSession(
      createHoldingAgent(createTellingTool('find', 'Looking.', 'Found it.'), communicateTool()),
      {
        replies: [both, 'Done.', 'Again.'],
      },
    );
    const { turn, ...answer } = await session.send('Go.');
    expect(answer).toMatchObject({
      text: 'Done.',
      said: [
        { call: `${turn}.3.0`, tool: 'find', text: 'Looking.' },
        { call: `${turn}.3.0`, tool: 'find', text: 'Found it.' },
        { call: `${turn}.3.1`, tool: 'communicate', text: 'Half way.' },
      ],
    });
    expect(await session.answer(turn)).toEqual({ turn, ...answer });
    expect(await session.send('And?')).not.toHaveProperty('said');
  });

  it('is shown to the model below the result, unless the model wrote it itself', async () => {
    const session = createTestSession(
      createHoldingAgent(createTellingTool('find', 'Looking.', 'Found it.'), communicateTool()),
      {
        replies: [both, 'Done.', 'Again.'],
      },
    );
    await session.send('Go.');
    session.restart();
    await session.send('And?');
    const results = [
      'Found.\n\n[Said to the user: Looking.]\n[Said to the user: Found it.]',
      'Message sent to user.',
    ];
    expect([getShownResults(session.requests[1]), getShownResults(session.requests[2])]).toEqual([
      results,
      results,
    ]);
    const [before, after] = [session.requests[1]?.messages ?? [], session.requests[2]?.messages ?? []];
    expect(after.slice(0, before.length)).toEqual(before);
  });

  it('is shown to the model of a nested loop, and to outer models below the enclosing call', async () => {
    const inner = createDiggingTool([createTellingTool('find', 'Looking.')]);
    const session = createTestSession(createHoldingAgent(inner), {
      replies: [{ calls: [{ name: 'dig' }] }, { calls: [{ name: 'find' }] }, 'Dug.', 'Done.', 'Again.'],
    });
    const { turn, ...answer } = await session.send('Go.');
    const said = [{ call: expect.stringMatching(/^.+\.\d+\.0$/), tool: 'find', text: 'Looking.' }];
    expect(answer).toMatchObject({ text: 'Done.', said });
    expect(getShownResults(session.requests[2])).toEqual(['Found.\n\n[Said to the user: Looking.]']);
    const around = ['completed: Dug.\n\n[Said to the user: Looking.]'];
    expect(getShownResults(session.requests[3])).toEqual(around);
    session.restart();
    await session.send('And?');
    expect(getShownResults(session.requests[4])).toEqual(around);
  });

  it('counts toward the length limit of the result', async () => {
    const { name, description, instructions, tools } = createHoldingAgent(
      createTellingTool('find', 'Looking.', 'Looking on.', 'Found.'),
    );
    const agent = defineAgent({
      name,
      description,
      instructions: `${instructions}`,
      tools,
      policies: { resultCharacters: 40 },
    });
    const session = createTestSession(agent, { replies: [{ calls: [{ name: 'find' }] }, 'Done.'] });
    expect((await session.send('Go.')).said).toHaveLength(3);
    expect(getShownResults(session.requests[1])).toEqual([
      'Found.\n\n[Said to the user: Looking.]\n[Said to th\n... [shortened: 40 of 87 characters are shown]',
    ]);
  });

  it('is dropped if the call fails', async () => {
    const fails = createReadingTool('find', (call) => {
      call.say('Looking.');
      throw new Error('Gone.');
    });
    const session = createTestSession(createHoldingAgent(fails), {
      replies: [{ calls: [{ name: 'find' }] }, 'Done.'],
      log: false,
    });
    expect(await session.send('Go.')).not.toHaveProperty('said');
    expect(getShownResults(session.requests[1])).toEqual(['Error: Gone.']);
  });

  it('is processed by transformers like the text of a reply', async () => {
    const agent = defineAgent({
      ...{
        name: 'clerk',
        description: 'Works.',
        instructions: 'Work.',
        tools: [createTellingTool('find', 'Found Ann.')],
      },
      use: [defineTransformer({ name: 'hide', reply: (words) => words.replaceAll('Ann', '***') })],
    });
    const session = createTestSession(agent, { replies: [{ calls: [{ name: 'find' }] }, 'Done.'] });
    await session.send('Go.');
    expect(getShownResults(session.requests[1])).toEqual(['Found.\n\n[Said to the user: Found ***.]']);
  });
});

describe('`progress` and `communicate`', () => {
  it.each<[string, string, unknown]>([
    ['progress', 'status', {}],
    ['progress', 'status', { status: null }],
    ['progress', 'status', { status: ' \n' }],
    ['communicate', 'message', {}],
    ['communicate', 'message', { text: 'Hello.' }],
  ])('return an error for missing input: %s, %s (COM-03)', async (name, parameter, input) => {
    const { session, text } = await runCall(name, input);
    expect(text).toBe(`Error: Missing '${parameter}' parameter`);
    expect(await readMessages(session)).toEqual([]);
  });

  it.each([[''], ['  ']])(
    'return an error for an empty message in `communicate`: %j (COM-05)',
    async (message) => {
      const { session, text } = await runCall('communicate', { message });
      expect(text).toBe("Error: Missing 'message' parameter");
      expect(await readMessages(session)).toEqual([]);
    },
  );

  it.each([
    ['progress', '{"status":', "is not valid JSON: it does not end with '}', so it may be cut off."],
    [
      'communicate',
      '{"message":"Hello.',
      "is not valid JSON: it does not end with '}', so it may be cut off.",
    ],
    [
      'progress',
      '{status}',
      'is not valid JSON: a quote, comma or bracket in it is missing, wrong or not escaped.',
    ],
    ['communicate', 'Hello.', "is not valid JSON: it does not begin with '{'."],
    ['communicate', '["Hello."]', 'is an array, not a JSON object.'],
  ])(
    'return an error for malformed JSON and send no message: %s, %s (COM-06)',
    async (name, input, problem) => {
      const { session, answer, text } = await runCall(name, input);
      const way = 'Send one JSON object that matches its schema.';
      expect(text).toBe(`Error: The input of tool '${name}' ${problem} ${way}`);
      expect(await readMessages(session)).toEqual([]);
      expect(answer).toMatchObject({ outcome: 'completed', toolCalls: 1 });
    },
  );

  it('set metadata on their calls, so that consoles show no banner for them (COM-06)', async () => {
    const seen: unknown[] = [];
    const recordCall = ({ call, metadata }: ToolCallSeen) => void seen.push([call.name, metadata]);
    const watched = {
      ...agent,
      uses: [...agent.uses, inspect({ beforeToolCall: recordCall, afterToolCall: recordCall })],
    };
    const asks = [
      { calls: [{ name: 'progress', input: { status: 'Reading.' } }] },
      { calls: [{ name: 'communicate', input: { message: 'Hello.' } }] },
    ];
    await createTestSession(watched, { replies: [...asks, 'Done.'] }).send('Go.');
    const unbannered = ['progress', 'progress', 'communicate', 'communicate'];
    expect(seen).toEqual(unbannered.map((name) => [name, { banner: false }]));
  });
});
