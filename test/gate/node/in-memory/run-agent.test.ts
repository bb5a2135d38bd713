/** An agent in a script: what a session would answer, and nothing that outlives it. */

import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import type { LogEntry } from '../../../../src/create-holdfast.ts';
import { runAgent } from '../../../../src/in-memory/entry.ts';
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

const calls = (name: string, input: object = {}) => ({ calls: [{ name, input }] });
const agentOf = (tools: readonly ToolSource[] = [], more: object = {}) =>
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

describe('an agent that is run', () => {
  it('answers as a session does', async () => {
    const replies = [calls('look_up', { id: '17' }), 'Found.'];
    const agent = agentOf([look]);
    const ran = await runAgent(agent, 'Where is it?', { model: scriptedModel(replies) });
    const sent = await createTestSession(agent, { replies, principal: { id: 'code' } }).send('Where is it?');
    const { session, turn, loopId, artifacts, ...answer } = ran;
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
    expect(Object.keys(ran).toSorted()).toEqual(Object.keys(sent).toSorted());
  });

  it('is given what the script says: principal, context, secrets and environment (S0-007)', async () => {
    const model = scriptedModel([calls('look_up', { id: '1' }), 'Found.']);
    const { artifacts } = await runAgent(agentOf([look]), 'Go.', {
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

  it('is asked by its own model, or one that it makes of the environment, unless another is given', async () => {
    const own = agentOf([], { model: scriptedModel(['Own.']) });
    const made = agentOf([], { model: (env: { WORD?: string }) => scriptedModel([String(env.WORD)]) });
    expect((await runAgent(own, 'Hi.')).text).toBe('Own.');
    expect((await runAgent(made, 'Hi.', { env: { WORD: 'Made.' } })).text).toBe('Made.');
    expect((await runAgent(own, 'Hi.', { model: scriptedModel(['Given.']) })).text).toBe('Given.');
    await expect(runAgent(agentOf(), 'Hi.')).rejects.toThrow(
      "Agent 'clerk' has no model. Give it one, or say which one is asked: runAgent(agent, message, { model }).",
    );
  });

  it('asks other agents, and has the groups of the script', async () => {
    const web = defineToolGroup({ role: 'web', description: 'The web.', tools: [look] });
    const helper = { ...agentOf([toolGroup('web')]), name: 'helper' };
    const model = scriptedModel([
      calls('helper', { message: 'Help.' }),
      calls('look_up', { id: '1' }),
      'Helped.',
      'Done.',
    ]);
    const boss = agentOf([defineSubagent({ agent: 'helper' })]);
    const answer = await runAgent(boss, 'Go.', { model, agents: [helper], use: [registered([web])] });
    expect(answer).toMatchObject({ outcome: 'completed', text: 'Done.', toolCalls: 2 });
  });

  it('answers an object of its form, and what its tools threw is told to the log', async () => {
    const lines: LogEntry[] = [];
    const fails = defineTool({
      name: 'fails',
      description: 'Fails.',
      run: () => {
        throw new Error('closed');
      },
    });
    const agent = agentOf([fails], { output: v.object({ total: v.number() }) });
    const model = scriptedModel([calls('fails'), '{"total":3}']);
    const answer = await runAgent(agent, 'Go.', { model, log: (line) => lines.push(line) });
    expect(answer).toMatchObject({ outcome: 'completed', object: { total: 3 } });
    expect(lines.map(({ event }) => event)).toEqual(['tool-threw', 'turn']);
  });

  it('is sent files, and keeps those of its tools where the script says', async () => {
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
    const model = scriptedModel([calls('draw'), 'Drawn.']);
    const note = file(new TextEncoder().encode('noted'), 'text/plain');
    const answer = await runAgent(agentOf([draw]), content(['Draw this.', note]).parts, {
      model,
      use: [files({ store: () => store })],
    });
    const texts = [...kept.values()].map((bytes) => new TextDecoder().decode(bytes));
    expect([answer.files?.length, texts]).toEqual([1, expect.arrayContaining(['drawn'])]);
  });
});

describe('nothing outlives a run', () => {
  it.each([
    ['approval', requireApproval(look, 'May I?'), { for: 'decision', message: 'May I?' }],
    ['the result of its caller', manual(look), { for: 'result' }],
  ])('so a call that waits for %s ends it, and it says what is asked', async (_what, tool, asked) => {
    const model = scriptedModel([calls('look_up', { id: '1' }), 'Never.']);
    const answer = await runAgent(agentOf([tool]), 'Go.', { model });
    expect(answer).toMatchObject({
      outcome: 'suspended',
      pending: [{ tool: 'look_up', input: { id: '1' }, ...asked }],
    });
    expect(model.requests).toHaveLength(1);
  });

  it('so what a tool schedules is refused', async () => {
    const plan = defineTool({
      name: 'plan',
      description: 'Plans.',
      run: (_, call) => sendLater(call, { message: 'Later.', delaySeconds: 60 }),
    });
    const model = scriptedModel([calls('plan'), 'Done.']);
    const lines: LogEntry[] = [];
    await runAgent(agentOf([plan]), 'Go.', { model, log: (line) => lines.push(line) });
    expect(lines[0]).toMatchObject({
      event: 'tool-threw',
      message:
        "Tool 'plan' threw: A message can only be scheduled in a session that is kept, and this one is not.",
    });
  });

  it('and its signal cancels it, what a tool does too', async () => {
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
    const model = scriptedModel([calls('waits'), 'Never.']);
    const answer = await runAgent(agentOf([waits]), 'Go.', { model, signal: stop.signal });
    expect([answer.outcome, model.requests.length]).toEqual(['cancelled', 1]);
    const late = await runAgent(agentOf(), 'Go.', { model: scriptedModel(['Never.']), signal: stop.signal });
    expect(late.outcome).toBe('cancelled');
  });
});
