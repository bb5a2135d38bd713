import * as v from 'valibot';
import { type AnyTool, defineTool, error } from '../../../../src/index.ts';
import { mcpResult } from '../../../../src/mcp/server/entry.ts';
import { jsonSchema } from '../../../../src/modules/json-schema/entry.ts';
import { PNG, WAV } from './samples.ts';

const noInput = v.object({});
const base = { input: noInput, effect: 'read' } as const;

const image = { type: 'image', data: PNG, mimeType: 'image/png' } as const;

/** The tools for the suite's server scenarios. */
export const serverTools: readonly AnyTool[] = [
  defineTool({
    ...base,
    name: 'test_simple_text',
    description: 'Answers with a text.',
    run: () => 'This is a simple text response for testing.',
  }),
  defineTool({
    ...base,
    name: 'test_image_content',
    description: 'Answers with an image.',
    run: () => mcpResult([image]),
  }),
  defineTool({
    ...base,
    name: 'test_audio_content',
    description: 'Answers with a sound.',
    run: () => mcpResult([{ type: 'audio', data: WAV, mimeType: 'audio/wav' }]),
  }),
  defineTool({
    ...base,
    name: 'test_embedded_resource',
    description: 'Answers with a resource inside the answer.',
    run: () => mcpResult([createResource('test://embedded-resource', 'text/plain', 'This is a resource.')]),
  }),
  defineTool({
    ...base,
    name: 'test_multiple_content_types',
    description: 'Answers with a text, an image and a resource.',
    run: () =>
      mcpResult([
        { type: 'text', text: 'Multiple content types test:' },
        image,
        createResource('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
      ]),
  }),
  defineTool({
    ...base,
    name: 'test_tool_with_logging',
    description: 'Says three things while it works.',
    run(_, call) {
      call.say('Tool execution started');
      call.say('Tool processing data');
      call.say('Tool execution completed');
      return 'It has said three things.';
    },
  }),
  defineTool({
    ...base,
    name: 'test_tool_with_progress',
    description: 'Tells three times how far it is.',
    run(_, call) {
      for (const percent of [0, 50, 100]) call.progress(`${percent} of 100`);
      return 'It has told three times how far it is.';
    },
  }),
  defineTool({
    ...base,
    name: 'test_error_handling',
    description: 'Answers with an error.',
    run: () => error('This tool intentionally returns an error for testing'),
  }),
  defineTool({
    name: 'json_schema_2020_12_tool',
    description: 'Has a schema with references and definitions.',
    effect: 'read',
    input: jsonSchema({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      $defs: {
        address: {
          $anchor: 'addressDef',
          type: 'object',
          properties: { street: { type: 'string' }, city: { type: 'string' } },
        },
      },
      properties: { name: { type: 'string' }, address: { $ref: '#/$defs/address' } },
      allOf: [{ anyOf: [{ required: ['name'] }, { required: ['address'] }] }],
      if: { required: ['address'] },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: { required: ['name'] },
      else: { required: ['name'] },
      additionalProperties: false,
    }),
    run: () => 'It was called as its schema says.',
  }),
  defineTool({
    name: 'test_param_header',
    description: 'Has a parameter that its client repeats in a header.',
    effect: 'read',
    input: jsonSchema({
      type: 'object',
      properties: { region: { type: 'string', 'x-mcp-header': 'Region' } },
      required: ['region'],
    }),
    run: () => 'It was called as its headers say.',
  }),
  defineTool({
    ...base,
    name: 'test_logging_tool',
    description: 'Says something while it works.',
    run(_, call) {
      call.say('It works.');
      return 'It has said something.';
    },
  }),
  defineTool({
    ...base,
    name: 'test_reconnection',
    description: 'Answers with a text, on a stream that could be taken up.',
    run: () => 'It was not needed.',
  }),
];

const createResource = (uri: string, mimeType: string, text: string) =>
  ({ type: 'resource', resource: { uri, mimeType, text } }) as const;
