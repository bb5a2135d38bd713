/** A definition is refused if its plain JSON Schema has an assertion that is not checked. */

import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineAgent, defineTool, type JsonObject, ToolDefinitionError } from '../../../../src/index.ts';
import { withParameter } from '../../../../src/modules/decorators/entry.ts';
import { jsonSchema, parameters, stringParameter } from '../../../../src/modules/json-schema/entry.ts';

const run = () => 'ok';
const catchError = (make: () => unknown): unknown => {
  try {
    return make();
  } catch (thrown) {
    return thrown;
  }
};

const FIX_ADVICE =
  'Use other keywords, such as a `pattern`, or the description, or a schema library, which has its own checks';

const defineError = (input: JsonObject): unknown =>
  catchError(() =>
    defineTool({ name: 'call', description: 'Calls.', input: jsonSchema({ type: 'object', ...input }), run }),
  );

describe('a tool whose input schema has an assertion that is not checked', () => {
  it.each<[string, JsonObject, string]>([
    [
      'an unknown format',
      { properties: { to: { type: 'string', format: 'phone' } } },
      '`format: "phone"` at `$.properties.to`',
    ],
    [
      'a format with an inherited name',
      { properties: { to: { format: 'toString' } } },
      '`format: "toString"` at `$.properties.to`',
    ],
    [
      '$dynamicRef',
      { $defs: { a: { $dynamicAnchor: 'a' } }, items: { $dynamicRef: '#a' } },
      '`$dynamicRef: "#a"` at `$.items`',
    ],
    [
      'a keyword of another validator',
      { properties: { at: { type: 'string', format: 'date', formatMinimum: '2026-01-01' } } },
      '`formatMinimum: "2026-01-01"` at `$.properties.at`',
    ],
    [
      'a bound of another draft',
      { properties: { n: { minimum: 0, exclusiveMinimum: true } } },
      '`exclusiveMinimum: true` at `$.properties.n`',
    ],
    [
      'a bound in quotes',
      { properties: { 'a b': { anyOf: [{}, { maxLength: '5' }] } } },
      '`maxLength: "5"` at `$.properties["a b"].anyOf[1]`',
    ],
    [
      'several assertions',
      {
        $defs: { a: { format: 'x' } },
        patternProperties: { '^a': { format: 'y' } },
        properties: { a: { $ref: '#/$defs/a' } },
        disallow: ['null'],
      },
      '`disallow: ["null"]` at `$`, and 2 more',
    ],
  ])('is refused: %s', (_, input, what) => {
    const error = defineError(input);
    expect(error).toBeInstanceOf(ToolDefinitionError);
    expect(error).toMatchObject({
      tool: 'call',
      field: 'input',
      message: `Tool 'call': its input has an assertion that Holdfast cannot check: ${what}. ${FIX_ADVICE}.`,
    });
  });

  it.each<[string, JsonObject]>([
    [
      'known formats',
      { properties: { a: { format: 'date-time' }, b: { format: 'email' }, c: { format: 'uuid' } } },
    ],
    [
      'annotations',
      {
        title: 'A',
        $comment: 'b',
        properties: {
          a: {
            contentEncoding: 'base64',
            examples: [{ format: 'x' }],
            default: { format: 'x' },
            deprecated: true,
          },
        },
      },
    ],
    [
      'properties with the names of keywords',
      {
        properties: { format: { type: 'string' }, range: { type: 'number' }, minimum: { type: 'string' } },
        required: ['format'],
      },
    ],
    [
      'keywords of its own draft',
      {
        $schema: 'http://json-schema.org/draft-04/schema#',
        properties: { n: { minimum: 0, exclusiveMinimum: true } },
      },
    ],
    [
      'constants and enums that look like schemas',
      { properties: { a: { enum: [{ format: 'x' }] }, b: { const: { disallow: 1 } } } },
    ],
  ])('is accepted if the schema has %s', (_, input) => {
    expect(defineError(input)).toMatchObject({ name: 'call' });
  });

  it('is accepted if a schema library checks the input', () => {
    const input = z.object({
      to: z
        .string()
        .regex(/^\+\d+$/)
        .meta({ format: 'phone' }),
    });
    const tool = defineTool({ name: 'call', description: 'Calls.', input, run });
    expect(tool.inputSchema).toMatchObject({ properties: { to: { format: 'phone' } } });
  });

  it('is refused in every place that declares a schema', () => {
    const phone = { type: 'string', format: 'phone' };
    const what = `\`format: "phone"\` at \`$.properties.to\`. ${FIX_ADVICE}.`;
    const tool = defineTool({ name: 'call', description: 'Calls.', run });
    expect(catchError(() => parameters({ to: { ...stringParameter(), schema: phone } }))).toMatchObject({
      name: 'InputSchemaError',
      message: `its input has an assertion that Holdfast cannot check: ${what}`,
    });
    expect(catchError(() => withParameter(tool, 'to', jsonSchema(phone)))).toMatchObject({
      message: `Tool 'call': its parameter 'to' has an assertion that Holdfast cannot check: ${what.replace('$.properties.to', '$')}`,
    });
    const output = { type: 'object', properties: { to: phone } };
    const agent = { name: 'clerk', description: 'Calls.', instructions: 'Call.' };
    expect(catchError(() => defineAgent({ ...agent, output: jsonSchema(output) }))).toMatchObject({
      message: `Agent 'clerk' has an output that has an assertion that Holdfast cannot check: ${what}`,
    });
  });
});
