import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { DomainTypeError, defineDomainType } from '../../src/tools/domain-type.ts';

const schema = v.object({ id: v.string(), since: v.pipe(v.string(), v.toDate()) });
const Customer = defineDomainType({ name: 'Customer', schema });

describe('a domain type', () => {
  it('reads JSON as it came back from the journal through its schema', () => {
    expect(Customer.parse({ id: 'c1', since: '2026-01-01' })).toEqual({
      ok: true,
      value: { id: 'c1', since: new Date('2026-01-01') },
    });
  });

  it('says everything that is wrong with a value of another shape', () => {
    expect(Customer.parse({ since: 3 })).toEqual({
      ok: false,
      problems: [
        'id: Invalid key: Expected "id" but received undefined',
        'since: Invalid type: Expected string but received 3',
      ],
    });
  });

  it('shows what a value looks like as JSON', () => {
    expect(Customer.json).toEqual({
      type: 'object',
      properties: { id: { type: 'string' }, since: { type: 'string' } },
      required: ['id', 'since'],
    });
  });

  it('takes Zod as well', () => {
    const Order = defineDomainType({ name: 'Order', schema: z.object({ id: z.string() }) });
    expect(Order.parse({ id: 'o1' })).toEqual({ ok: true, value: { id: 'o1' } });
  });

  it('refuses every value when its schema is asynchronous, or throws', () => {
    const later = defineDomainType({
      name: 'Later',
      schema: v.objectAsync({
        id: v.pipeAsync(
          v.string(),
          v.checkAsync(() => Promise.reject('no')),
        ),
      }),
    });
    expect(later.parse({ id: 'x' })).toEqual({
      ok: false,
      problems: ["The schema of 'Later' is asynchronous; use a synchronous one."],
    });
    const broken = defineDomainType({
      name: 'Broken',
      schema: v.object({
        id: v.pipe(
          v.string(),
          v.check(() => {
            throw new Error('no');
          }),
        ),
      }),
    });
    expect(broken.parse({ id: 'x' })).toEqual({ ok: false, problems: ["The schema of 'Broken' failed."] });
  });

  it('is refused where it is defined when it cannot work', () => {
    expect(() => defineDomainType({ name: 'a type', schema })).toThrow(
      new DomainTypeError('a type', 'name', 'is not a name: use 1 to 64 of the characters A-Z a-z 0-9 _ -'),
    );
    expect(() => defineDomainType({ name: 'Text', schema: v.string() })).toThrow(
      new DomainTypeError(
        'Text',
        'schema',
        'needs a schema of a JSON object that can be written as JSON Schema',
      ),
    );
  });
});
