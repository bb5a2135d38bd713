/**
 * State of tools with nested loops and of typed tools over HTTP. Between requests, the object is killed and
 * the Worker is replaced.
 */
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { artifact, defineAgent, defineDomainType, defineTool } from '../../../../src/index.ts';
import {
  chainAny,
  chainFrom,
  chaining,
  defineAgenticTool,
  defineSubagent,
  discover,
  withContext,
  withInstructions,
  withUse,
} from '../../../../src/kinds/entry.ts';
import { fromAiTool } from '../../../../src/modules/ai-sdk-tools/entry.ts';
import {
  publishToBlackboard,
  requireApproval,
  withOutput,
  withParameter,
} from '../../../../src/modules/decorators/entry.ts';
import { jsonSchema } from '../../../../src/modules/json-schema/entry.ts';
import type { ScriptedReply } from '../../../../src/testing/entry.ts';
import { callTools, TASK_SCHEMA } from '../../node/agentic/scenes.ts';
import { createKilledSession } from './killed-desk.ts';

const createReadingTool = (name: string, run: () => unknown) =>
  defineTool({ name, description: 'Reads.', effect: 'read', run });
const Customer = defineDomainType({
  name: 'Customer',
  schema: v.object({ id: v.string() }),
  tools: ({ id }) => [createReadingTool('greet', () => `Hello ${id}.`)],
});
const task = jsonSchema(TASK_SCHEMA);
const GO_INPUT = { task: 'Go.' };

/** A session of the agent `boss` with these tools, and of the agent `clerk`. */
const createDesk = (
  make: () => Parameters<typeof defineAgent>[0]['tools'],
  replies: readonly ScriptedReply[],
  more: object = {},
) =>
  createKilledSession(() => {
    const clerk = { name: 'clerk', description: 'Files.', instructions: 'File.', tools: [toldTool] };
    return { tools: make() ?? [], ...more, others: [defineAgent(clerk)] };
  }, replies);

const toldTool = requireApproval(
  defineTool({
    name: 'tell',
    description: 'Tells.',
    effect: 'read',
    run: (_, { context }) => JSON.stringify([context.get('desk'), context.get('task')]),
  }),
  'May I tell?',
);

describe('over HTTP, with the object killed between requests', () => {
  it('an agentic tool keeps the type of each of several artifacts (S0-082)', async () => {
    const customers = ['ann', 'bob'].map((id) => createReadingTool(id, () => artifact(id, Customer, { id })));
    const rows = createReadingTool('rows', () => [1, 2]);
    const createDig = () =>
      defineAgenticTool({ name: 'dig', description: 'Digs.', input: task, tools: [...customers, rows] });
    const { session, send, results } = createDesk(
      () => [publishToBlackboard(createDig(), { type: Customer })],
      [
        callTools(['dig', GO_INPUT]),
        callTools('ann', 'rows', 'bob'),
        'Dug.',
        'Done.',
        callTools('customer_ann_greet', 'customer_bob_greet'),
        'Done.',
      ],
      { use: [chaining([discover(Customer)])] },
    );
    const { turn } = await send(session, { message: 'Go.' });
    expect(await send(`${session}/turns/${turn}`)).toMatchObject({
      artifacts: [
        { tool: 'dig', types: ['Customer', null, 'Customer'], value: [{ id: 'ann' }, [1, 2], { id: 'bob' }] },
      ],
    });
    expect(await send(session)).toMatchObject({
      blackboard: [
        { type: 'Customer', value: { id: 'ann' } },
        { type: 'Customer', value: { id: 'bob' } },
      ],
    });
    await send(session, { message: 'Greet them.' });
    expect(results().slice(-2)).toEqual(['Hello ann.', 'Hello bob.']);
  });

  it('a tool from another package is chained by the type that the app gave it (S0-062)', async () => {
    const get = () =>
      fromAiTool(
        { description: 'Gets.', inputSchema: v.object({}), execute: async () => '{"id":"ann"}' },
        { name: 'get', effect: 'read' },
      );
    const { session, send, results } = createDesk(
      () => [withOutput(get(), Customer)],
      [callTools('get'), 'Got.', callTools('greet'), 'Done.'],
      { use: [chaining([chainFrom(Customer)])] },
    );
    const { artifacts } = await send(session, { message: 'Go.' });
    expect(artifacts).toMatchObject([{ tool: 'get', type: 'Customer', value: { id: 'ann' } }]);
    await send(session, { message: 'Greet.' });
    expect(results().at(-1)).toBe('Hello ann.');
  });

  it('an object of any type is found again, even by a copied tool with more modules (S0-081, S0-086)', async () => {
    const ann = defineTool({
      name: 'ann',
      description: 'Finds.',
      effect: 'read',
      output: Customer,
      run: () => ({ id: 'ann' }),
    });
    const createDig = () =>
      withUse(
        defineAgenticTool({ name: 'dig', description: 'Digs.', input: task, tools: [ann] }),
        chaining([chainAny()]),
      );
    const { session, send, model } = createDesk(
      () => [createDig()],
      [
        callTools(['dig', GO_INPUT]),
        callTools('ann'),
        'Dug.',
        'Done.',
        callTools(['dig', GO_INPUT]),
        callTools('greet'),
        'Greeted.',
        'Done.',
      ],
    );
    await send(session, { message: 'Go.' });
    await send(session, { message: 'Greet.' });
    expect(model.requests[6]?.messages.at(-1)?.text).toBe('Hello ann.');
  });

  it.each([
    [
      'an agentic tool',
      () => defineAgenticTool({ name: 'work', description: 'Works.', input: task, tools: [toldTool] }),
    ],
    ['a subagent', () => defineSubagent({ agent: 'clerk', name: 'work', input: task })],
  ])(
    'the context of %s is derived from its input again, and overrides the client’s context (S0-015, S0-081)',
    async (_, make) => {
      const createWork = () => {
        const more = withParameter(make(), 'mood', v.string());
        const told = withInstructions(more, (_, input) => `Be ${input.mood}.`);
        return withContext(told, (input, { context }) => ({
          desk: `${context.get('desk')}, inside`,
          task: `${Object(input).task} ${input.mood}`,
        }));
      };
      const { session, send, results, model } = createDesk(
        () => [createWork()],
        [callTools(['work', { ...GO_INPUT, mood: 'calm' }]), callTools('tell'), 'Told.', 'Done.'],
      );
      const waiting = await send(session, { message: 'Go.', context: { desk: 'client' } });
      expect(waiting.outcome).toBe('suspended');
      const [{ call }] = waiting.pending as readonly [{ readonly call: string }];
      expect(await send(`${session}/approvals/${call}`, { decision: 'approve' })).toMatchObject({
        outcome: 'completed',
      });
      const [system, , , result] = model.requests[2]?.messages ?? [];
      expect(system?.text).toMatch(/^Be calm\./);
      expect(result?.text).toBe('["client, inside","Go. calm"]');
      expect(results()).toEqual(['Told.']);
    },
  );
});
