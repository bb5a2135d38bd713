import { describe, expect, it } from 'vitest';
import { defineTool, type Parameter } from '../../../../../src/index.ts';
import {
  arrayParameter,
  booleanParameter,
  integerParameter,
  numberParameter,
  objectParameter,
  parameters,
  stringParameter,
} from '../../../../../src/modules/json-schema/entry.ts';
import { callTools, getShownResults, startSession } from '../decorators/turns.ts';

const getInputSchema = (declared: Readonly<Record<string, Parameter>>) =>
  defineTool({ name: 'form', description: 'A form.', input: parameters(declared), run: () => 'ok' })
    .inputSchema;

describe('an input declared with parameter helpers', () => {
  it('supports texts, integers and numbers, which are required and described by their names (TOOL-05)', () => {
    const declared = { city: stringParameter(), days: integerParameter(), height: numberParameter() };
    expect(getInputSchema(declared)).toEqual({
      type: 'object',
      properties: {
        city: { type: 'string', description: 'city' },
        days: { type: 'integer', description: 'days' },
        height: { type: 'number', description: 'height' },
      },
      required: ['city', 'days', 'height'],
    });
  });

  it('can list the allowed values of texts, integers and numbers (TOOL-05, TOOL-08)', () => {
    const declared = {
      unit: stringParameter('The unit', { enum: ['C', 'F'] }),
      days: integerParameter('How many', { enum: [1, 7] }),
      step: numberParameter('How fine', { enum: [0.5, 1], required: false }),
    };
    expect(getInputSchema(declared)).toEqual({
      type: 'object',
      properties: {
        unit: { type: 'string', description: 'The unit', enum: ['C', 'F'] },
        days: { type: 'integer', description: 'How many', enum: [1, 7] },
        step: { type: 'number', description: 'How fine', enum: [0.5, 1] },
      },
      required: ['unit', 'days'],
    });
  });

  it('supports booleans, lists and objects, even inside objects (TOOL-06)', () => {
    const item = objectParameter({
      sku: stringParameter('Its number'),
      gift: booleanParameter('Wrapped', { required: false }),
    });
    const declared = {
      items: arrayParameter(item, 'What is ordered'),
      tags: arrayParameter(stringParameter(), undefined, { required: false }),
      limits: objectParameter({ cost: numberParameter('At most', { required: false }) }),
      address: objectParameter({ place: objectParameter({ zip: stringParameter() }) }, 'Where to'),
    };
    expect(getInputSchema(declared)).toEqual({
      type: 'object',
      properties: {
        items: {
          type: 'array',
          description: 'What is ordered',
          items: {
            type: 'object',
            properties: {
              sku: { type: 'string', description: 'Its number' },
              gift: { type: 'boolean', description: 'Wrapped' },
            },
            required: ['sku'],
          },
        },
        tags: { type: 'array', description: 'tags', items: { type: 'string' } },
        limits: {
          type: 'object',
          description: 'limits',
          properties: { cost: { type: 'number', description: 'At most' } },
        },
        address: {
          type: 'object',
          description: 'Where to',
          properties: {
            place: {
              type: 'object',
              description: 'place',
              properties: { zip: { type: 'string', description: 'zip' } },
              required: ['zip'],
            },
          },
          required: ['place'],
        },
      },
      required: ['items', 'limits', 'address'],
    });
  });

  it('is an object without properties and without `required` if it declares none (TOOL-07)', () => {
    expect(JSON.stringify(getInputSchema({}))).toBe('{"type":"object","properties":{}}');
    expect(getInputSchema({ note: stringParameter('A note', { required: false }) })).toEqual({
      type: 'object',
      properties: { note: { type: 'string', description: 'A note' } },
    });
  });

  it('is validated, and the error lists every problem at once (TOOL-08, TYP-10)', async () => {
    const form = defineTool({
      name: 'form',
      description: 'A form.',
      effect: 'read',
      input: parameters({
        city: stringParameter(),
        unit: stringParameter('The unit', { enum: ['C', 'F'] }),
        days: integerParameter(),
        note: stringParameter('A note', { required: false }),
        tags: arrayParameter(booleanParameter(), 'Tags', { required: false }),
      }),
      run: ({ city, unit, days, note = 'none' }) => `${city} ${unit} ${days} ${note}`,
    });
    const session = startSession(
      [form],
      [
        { calls: [{ name: 'form', input: { unit: 'K', days: 1.5, tags: [true, 'no'] } }] },
        { calls: [{ name: 'form', input: { city: 'Oslo', unit: 'C', days: 2 } }] },
        callTools('form'),
        'Done.',
      ],
    );
    await session.send('Go.');
    expect(getShownResults(session)).toEqual([
      "Error: The input of tool 'form' is not valid:\n" +
        '- Instance does not have required property "city".\n' +
        '- unit: Instance does not match any of ["C","F"].\n' +
        '- days: Instance type "number" is invalid. Expected "integer".\n' +
        '- tags[1]: Instance type "string" is invalid. Expected "boolean".\n' +
        'Call it again with a corrected input.',
      'Oslo C 2 none',
      "Error: The input of tool 'form' is not valid:\n" +
        '- Instance does not have required property "city".\n' +
        '- Instance does not have required property "unit".\n' +
        '- Instance does not have required property "days".\n' +
        'Call it again with a corrected input.',
    ]);
  });
});
