import * as v from 'valibot';
import { expectTypeOf } from 'vitest';
import { defineDomainType, defineTool, type Json } from '../../src/index.ts';
import { jsonSchema } from '../../src/modules/json-schema/entry.ts';
import { createTestSession } from '../../src/testing/entry.ts';
import { clerk } from '../fixtures/clerk-agent.ts';

const Customer = defineDomainType({
  name: 'Customer',
  schema: v.object({ id: v.string(), since: v.pipe(v.string(), v.toDate()) }),
});

defineTool({
  name: 'keep',
  description: 'Keeps.',
  run: (_, { state, blackboard }) => {
    expectTypeOf(state.get('visits')).toEqualTypeOf<Json | undefined>();
    expectTypeOf(state.get('visits', v.number())).toEqualTypeOf<number | undefined>();
    expectTypeOf(state.update('visits', v.number(), (before = 0) => before + 1)).toEqualTypeOf<number>();
    const since = state.update('since', v.pipe(v.string(), v.toDate()), (before) => {
      expectTypeOf(before).toEqualTypeOf<Date | undefined>();
      return '2026-01-01';
    });
    expectTypeOf(since).toEqualTypeOf<Date>();
    // @ts-expect-error the schema requires a number
    state.update('visits', v.number(), () => 'one');

    blackboard.add(Customer, { id: 'a', since: '2026-01-01' }, { name: 'newest' });
    blackboard.add({ anything: 1 }, { type: 'Other' });
    expectTypeOf(blackboard.last(Customer)).toEqualTypeOf<{ id: string; since: Date } | undefined>();
    // @ts-expect-error its id is a text
    blackboard.add(Customer, { id: 1, since: '2026-01-01' });
  },
});

const answer = await createTestSession(clerk, { replies: ['Hello.'] }).send('Hi.');
expectTypeOf(answer.artifactsOf(Customer)).toEqualTypeOf<readonly { id: string; since: Date }[]>();

// A JSON Schema literal determines the type of the input.
defineTool({
  name: 'order',
  description: 'Orders.',
  input: jsonSchema({
    type: 'object',
    properties: {
      sku: { type: 'string' },
      count: { type: 'integer', minimum: 1 },
      size: { enum: ['s', 'm', 'l'] },
      kind: { const: 'gift' },
      tags: { type: 'array', items: { type: 'string' } },
      note: { type: ['string', 'null'] },
      to: {
        type: 'object',
        properties: { city: { type: 'string' }, zip: { type: 'string' } },
        required: ['city'],
      },
      pay: { anyOf: [{ type: 'number' }, { type: 'boolean' }] },
      rest: {},
      more: { type: 'object' },
    },
    required: ['sku', 'kind', 'to'],
  }),
  run: (input) => {
    expectTypeOf(input).toEqualTypeOf<{
      sku: string;
      kind: 'gift';
      to: { city: string; zip?: string | undefined };
      count?: number | undefined;
      size?: 's' | 'm' | 'l' | undefined;
      tags?: string[] | undefined;
      note?: string | null | undefined;
      pay?: number | boolean | undefined;
      rest?: unknown;
      more?: Record<string, unknown> | undefined;
    }>();
  },
});
