/** Tests agents in scripts: `runAgent` returns the answer of a session, and stores no data. */

import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import type { LogEntry } from '../../../../src/create-holdfast.ts';
import { type RunEvent, runAgent } from '../../../../src/in-memory/entry.ts';
import { content, defineAgent, defineTool, file, type ToolSource } from '../../../../src/index.ts';
import { defineSubagent } from '../../../../src/kinds/entry.ts';
import { manual, requireApproval } from '../../../../src/modules/decorators/entry.ts';
import { files } from '../../../../src/modules/files/entry.ts';
import { sendLater } from '../../../../src/modules/schedules/entry.ts';
import {
  defineToolGroup,
  toolGroups as registered,
  toolGroup,
} from '../../../../src/modules/tool-groups/entry.ts';
import { createTestSession, scriptedModel } from '../../../../src/testing/entry.ts';

const callTools = (name: string, input: object = {}) => ({ calls: [{ name, input }] });
const createTestAgent = (tools: readonly ToolSource[] = [], more: object = {}) =>
  defineAgent({ name: 'clerk', description: 'Works.', instructions: '', tools, ...more });

const look = defineTool({
  name: 'look_up',
  description: 'Looks up.',
  input: v.object({ id: v.string() }),
  run: ({ id }, call) => ({
    id,
    by: call.principal,
    key: call.secrets.get('key')?.length,
    region: Reflect.get(call.env, 'REGION'),
    team: call.context.get('team'),
  }),
});

describe('runAgent', () => {
  it('returns the same answer as a session', async () => {
    const replies = [callTools('look_up', { id: '17' }), 'Found.'];
    const agent = createTestAgent([look]);
    const ran = await runAgent(agent, 'Where is it?', { model: scriptedModel(replies) });
    const sent = await createTestSession(agent, { replies, principal: { id: 'code' } }).send('Where is it?');
    const { session, turn, loopId, artifacts, messages, ...answer } = ran;
    expect(messages.map(({ role, text }) => [role, text])).toEqual([
      ['user', 'Where is it?'],
      ['assistant', ''],
      ['assistant', 'Found.'],
    ]);
    expect([session, turn]).toEqual([expect.stringMatching(/^run-/), loopId]);
    expect(artifacts.map(({ call: _, ...one }) => one)).toEqual([
      { tool: 'look_up', value: { id: '17', by: { id: 'code' } } },
    ]);
    expect(answer).toEqual({
      agent: 'clerk',
      outcome: 'completed',
      text: 'Found.',
      usage: { inputTokens: 20, outputTokens: 10 },
      iterations: 2,
      toolCalls: 1,
      model: 'scripted',
    });
    expect(Object.keys(ran).toSorted()).toEqual([...Object.keys(sent), 'messages'].toSorted());
  });

  it('passes the principal, context, secrets and environment of the script to the agent (S0-007)', async () => {
    const model = scriptedModel([callTools('look_up', { id: '1' }), 'Found.']);
    const { artifacts } = await runAgent(createTestAgent([look]), 'Go.', {
      model,
      principal: { id: 'ann', tenant: 'acme' },
      context: { team: 'red' },
      secrets: { key: 'four' },
      env: { REGION: 'weur' },
    });
    expect(artifacts[0]?.value).toEqual({
      id: '1',
      by: { id: 'ann', tenant: 'acme' },
      key: 4,
      region: 'weur',
      team: 'red',
    });
  });

  it('uses the model of the agent by default, even if a function of the environment creates it', async () => {
    const own = createTestAgent([], { model: scriptedModel(['Own.']) });
    const made = createTestAgent([], {
      model: (env: { WORD?: string }) => scriptedModel([String(env.WORD)]),
    });
    expect((await runAgent(own, 'Hi.')).text).toBe('Own.');
    expect((await runAgent(made, 'Hi.', { env: { WORD: 'Made.' } })).text).toBe('Made.');
    expect((await runAgent(own, 'Hi.', { model: scriptedModel(['Given.']) })).text).toBe('Given.');
    await expect(runAgent(createTestAgent(), 'Hi.')).rejects.toThrow(
      "Agent 'clerk' has no model. Set its 'model', or call runAgent(agent, message, { model }).",
    );
  });

  it('provides other agents and the tool groups of the script', async () => {
    const web = defineToolGroup({ role: 'web', description: 'The web.', tools: [look] });
    const helper = { ...createTestAgent([toolGroup('web')]), name: 'helper' };
    const model = scriptedModel([
      callTools('helper', { message: 'Help.' }),
      callTools('look_up', { id: '1' }),
      'Helped.',
      'Done.',
    ]);
    const boss = createTestAgent([defineSubagent({ agent: 'helper' })]);
    const answer = await runAgent(boss, 'Go.', { model, agents: [helper], use: [registered([web])] });
    expect(answer).toMatchObject({ outcome: 'completed', text: 'Done.', toolCalls: 2 });
  });

  it('returns the object of an agent with an output, and logs errors of tools', async () => {
    const lines: LogEntry[] = [];
    const fails = defineTool({
      name: 'fails',
      description: 'Fails.',
      run: () => {
        throw new Error('closed');
      },
    });
    const agent = createTestAgent([fails], { output: v.object({ total: v.number() }) });
    const model = scriptedModel([callTools('fails'), '{"total":3}']);
    const answer = await runAgent(agent, 'Go.', { model, log: (line) => lines.push(line) });
    expect(answer).toMatchObject({ outcome: 'completed', object: { total: 3 } });
    expect(lines.map(({ event }) => event)).toEqual(['tool-threw', 'turn']);
  });

  it('accepts files in the message, and stores files from tools as the script specifies', async () => {
    const kept = new Map<string, Uint8Array>();
    const store = {
      put: async ({ id }: { id: string }, bytes: Uint8Array) => void kept.set(id, bytes),
      get: async ({ id }: { id: string }) => kept.get(id) ?? null,
      delete: async () => {},
      deleteAll: async () => kept.clear(),
    };
    const draw = defineTool({
      name: 'draw',
      description: 'Draws.',
      run: () => content([file(new TextEncoder().encode('drawn'), 'text/plain')]),
    });
    const model = scriptedModel([callTools('draw'), 'Drawn.']);
    const note = file(new TextEncoder().encode('noted'), 'text/plain');
    const answer = await runAgent(createTestAgent([draw]), content(['Draw this.', note]).parts, {
      model,
      use: [files({ store: () => store })],
    });
    const texts = [...kept.values()].map((bytes) => new TextDecoder().decode(bytes));
    expect([answer.files?.length, texts]).toEqual([1, expect.arrayContaining(['drawn'])]);
  });
});

describe('a conversation of several runs', () => {
  const agent = createTestAgent([look]);

  it('continues from the messages of the last answer, even after a round trip through JSON (S2-10)', async () => {
    const first = await runAgent(agent, 'Where is it?', {
      model: scriptedModel([callTools('look_up', { id: '17' }), 'In Ghent.']),
    });
    const history = JSON.parse(JSON.stringify(first.messages));
    expect(history).toEqual(first.messages);
    const model = scriptedModel(['Thanks.']);
    const second = await runAgent(agent, 'Thank you.', { model, history });
    expect(model.requests[0]?.messages.map(({ role, text }) => [role, text])).toEqual([
      ['user', 'Where is it?'],
      ['assistant', ''],
      ['tool', expect.stringContaining('"id":"17"')],
      ['assistant', 'In Ghent.'],
      ['user', 'Thank you.'],
    ]);
    expect(second.messages.slice(0, history.length)).toEqual(history);
    expect(second.messages.slice(history.length)).toMatchObject([
      { role: 'user', text: 'Thank you.' },
      { role: 'assistant', text: 'Thanks.', calls: [] },
    ]);
    expect(second).toMatchObject({ outcome: 'completed', iterations: 1, toolCalls: 0 });
    const third = await runAgent(agent, 'Bye.', { model: scriptedModel(['Bye.']), history: second.messages });
    expect(third.messages).toHaveLength(history.length + 4);
  });

  it('can start from messages that no run has created (S2-10)', async () => {
    const model = scriptedModel(['Ann.']);
    const history = [
      { role: 'user', text: 'I am Ann.' },
      { role: 'user', text: 'Are you there?' },
      { role: 'assistant', text: 'Yes.', calls: [{ id: 'call.1', name: 'gone', input: '{}' }] },
    ] as const;
    await runAgent(agent, 'Who am I?', { model, history });
    const shown = model.requests[0]?.messages ?? [];
    expect(shown.map(({ role, text }) => [role, text])).toEqual([
      ['user', 'I am Ann.'],
      ['user', '[The last message was not answered.]'],
      ['user', 'Are you there?'],
      ['assistant', 'Yes.'],
      ['tool', 'Error: There is no result for this call.'],
      ['user', 'Who am I?'],
    ]);
    expect(shown[3]).toMatchObject({ toolCalls: [{ id: 'call_1', name: 'gone' }] });
  });

  it.each([
    ['text instead of a list', 'Hi.', " is 'Hi.'. Use the messages of an answer"],
    [
      'a message with a role of another library',
      [{ role: 'system', text: '' }],
      "[0] has 'system' as its role. Use 'user' or 'assistant'",
    ],
    [
      'a message with `content` instead of `text`',
      [{ role: 'user', content: 'Hi.' }],
      '[0] has undefined as its text. Use a string',
    ],
    [
      'a reply as its first message',
      [{ role: 'assistant', text: 'Hi.', calls: [] }],
      "[0] is a reply. Begin with a message whose role is 'user'",
    ],
    [
      'a reply without a list of calls',
      [
        { role: 'user', text: 'Hi.' },
        { role: 'assistant', text: 'Hi.' },
      ],
      '[1] has no list of calls. Use { id, name, input, result } for each, and [] for none',
    ],
    [
      'two calls with the same id',
      [
        { role: 'user', text: 'Hi.' },
        {
          role: 'assistant',
          text: '',
          calls: ['a', 'a'].map((id) => ({ id, name: 'look_up', input: '{}' })),
        },
      ],
      "[1] has a second call with the id 'a'",
    ],
  ])('is refused if it has %s (S2-10)', async (_, history, problem) => {
    const running = runAgent(agent, 'Go.', { model: scriptedModel(['Never.']), history: history as never });
    await expect(running).rejects.toThrow(new TypeError(`runAgent: history${problem}.`));
  });
});

describe('the events of a run', () => {
  it('are passed to the callback in order, with pieces of text (S2-10)', async () => {
    const seen: RunEvent[] = [];
    const model = scriptedModel([callTools('look_up', { id: '1' }), 'Found.']);
    await runAgent(createTestAgent([look]), 'Go.', { model, onEvent: (event) => seen.push(event) });
    expect(seen.flatMap((event) => ('seq' in event ? event.type : []))).toEqual([
      'turn-started',
      'model-replied',
      'tool-call-started',
      'tool-call-ended',
      'model-replied',
      'turn-ended',
    ]);
    const text = seen.flatMap((event) => (event.type === 'text-delta' ? event.text : []));
    expect(text.join('')).toBe('Found.');
  });

  it('end if the callback throws, while the run continues', async () => {
    const lines: LogEntry[] = [];
    let count = 0;
    const answer = await runAgent(createTestAgent(), 'Go.', {
      model: scriptedModel(['Fine.']),
      log: (line) => lines.push(line),
      onEvent: () => {
        count += 1;
        throw new Error('closed');
      },
    });
    expect([answer.text, count]).toEqual(['Fine.', 1]);
    expect(lines[0]?.message).toMatch('`onEvent` of a message threw, and is not called again');
  });
});

it.runIf(process.env.NODE_ENV !== 'production')('runAgent throws for unknown options (S2-10)', async () => {
  const model = scriptedModel(['Never.']);
  await expect(runAgent(createTestAgent(), 'Go.', { model, contxt: {} } as never)).rejects.toThrow(
    "runAgent has an unknown option 'contxt'. Did you mean 'context'?",
  );
  await expect(runAgent(createTestAgent(), 'Go.', { model, messages: [] } as never)).rejects.toThrow(
    "runAgent has 'messages' instead of 'history'. Rename it.",
  );
});

describe('a run', () => {
  it.each([
    ['approval', requireApproval(look, 'May I?'), { for: 'decision', message: 'May I?' }],
    ['a result from the caller', manual(look), { for: 'result' }],
  ])('ends if a call waits for %s, and the answer contains the question', async (_what, tool, asked) => {
    const model = scriptedModel([callTools('look_up', { id: '1' }), 'Never.']);
    const answer = await runAgent(createTestAgent([tool]), 'Go.', { model });
    expect(answer).toMatchObject({
      outcome: 'suspended',
      pending: [{ tool: 'look_up', input: { id: '1' }, ...asked }],
    });
    expect(model.requests).toHaveLength(1);
  });

  it('refuses scheduled messages, because it ends with its answer', async () => {
    const plan = defineTool({
      name: 'plan',
      description: 'Plans.',
      run: (_, call) => sendLater(call, { message: 'Later.', delaySeconds: 60 }),
    });
    const model = scriptedModel([callTools('plan'), 'Done.']);
    const lines: LogEntry[] = [];
    await runAgent(createTestAgent([plan]), 'Go.', { model, log: (line) => lines.push(line) });
    expect(lines[0]).toMatchObject({
      event: 'tool-threw',
      message:
        "Tool 'plan' threw: A message can only be scheduled in a session that is kept, and this one is not.",
    });
  });

  it('ends when its signal aborts, and aborts its tools', async () => {
    const stop = new AbortController();
    const waits = defineTool({
      name: 'waits',
      description: 'Waits.',
      run: (_, call) =>
        new Promise((_resolve, reject) => {
          call.signal.addEventListener('abort', () => reject(call.signal.reason));
          stop.abort();
        }),
    });
    const model = scriptedModel([callTools('waits'), 'Never.']);
    const answer = await runAgent(createTestAgent([waits]), 'Go.', { model, signal: stop.signal });
    expect([answer.outcome, model.requests.length]).toEqual(['cancelled', 1]);
    const late = await runAgent(createTestAgent(), 'Go.', {
      model: scriptedModel(['Never.']),
      signal: stop.signal,
    });
    expect(late.outcome).toBe('cancelled');
  });
});
