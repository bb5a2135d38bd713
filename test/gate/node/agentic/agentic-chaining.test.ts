import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { defineDomainType, defineTool } from '../../../../src/index.ts';
import {
  type Chained,
  chainAny,
  chainFrom,
  chaining,
  defineAgenticTool,
} from '../../../../src/kinds/entry.ts';
import { jsonSchema } from '../../../../src/modules/json-schema/entry.ts';
import { createTestSession } from '../../../../src/testing/entry.ts';
import { startStored } from '../../../fixtures/stored.ts';
import {
  callTools,
  createAgent,
  type createAnsweringTool,
  getOfferedTools,
  summarizeRequests,
  TASK_SCHEMA,
} from './scenes.ts';

const Customer = defineDomainType({
  name: 'Customer',
  schema: v.object({ id: v.string() }),
  tools: ({ id }) => [
    defineTool({
      name: 'spend',
      description: 'What they spend.',
      effect: 'read',
      run: () => `spend of ${id}`,
    }),
  ],
});
const find = defineTool({
  name: 'find',
  description: 'Finds a customer.',
  input: v.object({ id: v.string() }),
  effect: 'read',
  output: Customer,
  run: ({ id }) => ({ id }),
});
const createChainingTool = (
  entries: readonly Chained[],
  more: readonly ReturnType<typeof createAnsweringTool>[] = [],
) =>
  defineAgenticTool({
    name: 'dig',
    description: 'Digs.',
    input: jsonSchema(TASK_SCHEMA),
    instructions: 'You dig.',
    tools: [find, ...more],
    use: [chaining(entries)],
  });
const script = [
  callTools(['dig', { task: 'Go.' }]),
  callTools(['find', { id: 'c1' }]),
  callTools('spend'),
  'Found.',
  'Done.',
];

describe('an agentic tool with chaining', () => {
  it('offers the tools of an object inside its loop, but not outside, once a call has returned it (AGT-10)', async () => {
    const session = createTestSession(createAgent('boss', [createChainingTool([chainFrom(Customer)])]), {
      replies: script,
    });
    await session.send('Go.');
    expect(getOfferedTools(session)).toEqual([
      ['dig'],
      ['find', 'spend'],
      ['find', 'spend'],
      ['find', 'spend'],
      ['dig'],
    ]);
    expect(summarizeRequests(session.requests)[3]).toBe('You dig. <- spend of c1');
  });

  it('offers the tools of any returned object with `chainAny` (AGT-11)', async () => {
    const session = createTestSession(createAgent('boss', [createChainingTool([chainAny()])]), {
      replies: script,
    });
    await session.send('Go.');
    expect(getOfferedTools(session).slice(1, 3)).toEqual([['find'], ['find', 'spend']]);
    expect(summarizeRequests(session.requests)[3]).toBe('You dig. <- spend of c1');
  });

  it('keeps its objects after a kill inside the loop, and after a cold fold between turns (AGT-10)', async () => {
    let kills = 1;
    const fatal = defineTool({
      name: 'fatal',
      description: 'Kills the Worker once.',
      effect: 'read',
      run: async (_, call) => {
        await startStored(session, call);
        if (kills-- > 0) session.kill();
        return 'alive';
      },
    });
    const again = [callTools(['dig', { task: 'Go.' }]), callTools('spend'), 'Found.', 'Done.'];
    const session = createTestSession(
      createAgent('boss', [createChainingTool([chainFrom(Customer)], [fatal])]),
      {
        replies: [...script.slice(0, 2), callTools('fatal'), ...script.slice(2), ...again],
      },
    );
    await session.send('Go.');
    session.restart();
    await session.send('Go.');
    expect(summarizeRequests(session.requests).filter((line) => line.endsWith('spend of c1'))).toHaveLength(
      2,
    );
  });

  it('is refused if it chains a type twice', () => {
    expect(() => createChainingTool([chainFrom(Customer), chainFrom(Customer)])).toThrow(
      "Domain type 'Customer' is chained twice in the same way.",
    );
  });
});
