import * as v from 'valibot';
import { expectTypeOf } from 'vitest';
import {
  type ArtifactType,
  artifact,
  type DomainType,
  defineDomainType,
  defineTool,
} from '../../../../src/index.ts';
import type { ParsedInput } from '../../../../src/kinds/entry.ts';

const Customer = defineDomainType({
  name: 'Customer',
  schema: v.object({ id: v.string(), since: v.pipe(v.string(), v.toDate()) }),
});

// The name is a literal, and a value has the type of the schema's output.
expectTypeOf(Customer).toEqualTypeOf<
  DomainType<'Customer', { id: string; since: Date }, { id: string; since: string }>
>();
expectTypeOf(Customer.parse({})).toEqualTypeOf<ParsedInput<{ id: string; since: Date }>>();

// It is accepted as an artifact type, also in lists of domain types.
expectTypeOf(Customer).toExtend<ArtifactType>();
expectTypeOf(Customer).toExtend<DomainType>();
export const types: readonly DomainType[] = [Customer];
artifact('One customer.', Customer, { id: 'c1', since: '2026-01-01' });
defineTool({
  name: 'find',
  description: 'Finds.',
  output: Customer,
  run: () => ({ id: 'c1', since: '2026-01-01' }),
});

// @ts-expect-error a name without a schema cannot parse values
export const bare: DomainType = { name: 'Customer' };

// @ts-expect-error a domain type needs a schema
defineDomainType({ name: 'Customer' });

// @ts-expect-error JSON Schema does not give the type of a value
defineDomainType({ name: 'Customer', schema: { type: 'object' } });
