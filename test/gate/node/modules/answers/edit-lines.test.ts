/** The problems reported to the sender of an edit. */
import { expect, it } from 'vitest';
import { listSchemaProblems } from '../../../../doors/tools.ts';

const schema = { type: 'object', properties: { n: { type: 'number' } } };

it.each<[string, Parameters<typeof listSchemaProblems>, readonly string[]]>([
  ['a valid input', [schema, { n: 1 }], []],
  [
    'an input that is not valid',
    [schema, { n: 'one' }],
    ['input.n: Instance type "string" is invalid. Expected "number".'],
  ],
])('lists the problems of %s', (_, asked, lines) => {
  expect(listSchemaProblems(...asked)).toEqual(lines);
});
