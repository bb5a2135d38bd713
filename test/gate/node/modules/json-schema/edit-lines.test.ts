/** What whoever sends an edit reads, where the app checks it, and where it does not. */
import { expect, it } from 'vitest';
import { answerChecks } from '../../../../../src/modules/json-schema/entry.ts';
import { editLines } from '../../../../doors/tools.ts';

const schema = { type: 'object', properties: { n: { type: 'number' } } };

it.each<[string, Parameters<typeof editLines>, readonly string[]]>([
  ['a valid input', [[answerChecks], { schema, input: { n: 1 } }], []],
  [
    'an input that is not valid',
    [[answerChecks], { schema, input: { n: 'one' } }],
    ['input.n: Instance type "string" is invalid. Expected "number".'],
  ],
  [
    'an input that the app does not check',
    [[], { schema, input: { n: 1 } }],
    ['input: this version of the app cannot check it; approve or reject instead'],
  ],
  ['an input that the tool checks later', [[], { schema, input: { n: 1 }, mayBeUnchecked: true }], []],
])('tells of %s', (_, asked, lines) => {
  expect(editLines(...asked)).toEqual(lines);
});
