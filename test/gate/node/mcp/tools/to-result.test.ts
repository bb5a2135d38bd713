import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../../src/index.ts';
import { McpContent, type McpContent as McpContentValue } from '../../../../../src/mcp/tools/entry.ts';
import { toResult } from '../../../../doors/mcp.ts';
import { getModelText, readAsType } from '../../../../doors/tools.ts';
import { createListedTool } from './listing-fixtures.ts';

/** A result as a server may send it, even one that no schema accepts. */
const callResult = (answer: object): CallToolResult => ({ content: [], ...answer });
const convertResult = (answer: object, outputSchema?: JsonObject) =>
  toResult(createListedTool(outputSchema && { outputSchema }), callResult(answer));
const convertContent = (...blocks: readonly object[]) => convertResult({ content: blocks });
const convertToText = async (...blocks: readonly object[]): Promise<string> =>
  getModelText(await convertContent(...blocks));

const createTextBlock = (said: string, more: object = {}): JsonObject => ({
  type: 'text',
  text: said,
  ...more,
});
/** An image of 3,210 bytes. */
const image = { type: 'image', data: 'A'.repeat(4_280), mimeType: 'image/png' };
const link = { type: 'resource_link', name: 'b', uri: 'test://b' };
const userAudience = { annotations: { audience: ['user'] } };
const weather = { type: 'object', properties: { degrees: { type: 'number' } }, required: ['degrees'] };

describe('a result with only text', () => {
  it('becomes a text result', async () => {
    expect({ ...(await convertContent(createTextBlock('It rains.'))) }).toEqual({
      type: 'text',
      content: 'It rains.',
    });
  });

  it('has an empty line between its blocks, which are unchanged', async () => {
    expect(await convertToText(createTextBlock(' one\n'), createTextBlock('two'))).toBe(' one\n\n\ntwo');
  });

  it('is `Done` if it has no blocks, and empty if its text is empty', async () => {
    expect({ ...(await convertContent()) }).toEqual({ type: 'text', content: 'Done' });
    expect({ ...(await convertContent(createTextBlock(''))) }).toEqual({ type: 'text', content: '' });
  });

  it('includes text for the assistant, and important text, unchanged', async () => {
    const annotations = { audience: ['user', 'assistant'], priority: 1 };
    expect({ ...(await convertContent(createTextBlock('It rains.', { annotations }))) }).toEqual({
      type: 'text',
      content: 'It rains.',
    });
    expect({
      ...(await convertContent(createTextBlock('It rains.', { annotations: { audience: [] } }))),
    }).toEqual({
      type: 'text',
      content: 'It rains.',
    });
  });
});

describe('structured content', () => {
  const structuredContent = { degrees: 4, of: { city: 'Oslo' } };

  it('is the artifact, and stored once, if the text is its JSON in any form', async () => {
    const told = createTextBlock('{ "of": {"city":"Oslo"},\n "degrees": 4.0 }');
    const said = await convertResult({ content: [told], structuredContent });
    expect({ ...said }).toEqual({ type: 'artifact', value: structuredContent });
    expect(getModelText(said)).toBe('{"degrees":4,"of":{"city":"Oslo"}}');
  });

  it.each([[[]], [[createTextBlock('')]], [[createTextBlock(' \n')]]])(
    'is shown as its JSON if there is no text: %j',
    async (blocks) => {
      expect({ ...(await convertResult({ content: blocks, structuredContent })) }).toEqual({
        type: 'artifact',
        value: structuredContent,
      });
    },
  );

  it('is the artifact next to the server’s text if that text differs from its JSON', async () => {
    expect({
      ...(await convertResult({ content: [createTextBlock('4 degrees in Oslo.')], structuredContent })),
    }).toEqual({
      type: 'artifact',
      value: structuredContent,
      content: '4 degrees in Oslo.',
    });
    expect(
      getModelText(await convertResult({ content: [createTextBlock('{"degrees":5}')], structuredContent })),
    ).toBe('{"degrees":5}');
  });

  it('is part of McpContent if there are other blocks, and is shown as JSON if no text contains it', async () => {
    const said = await convertResult({ content: [link], structuredContent });
    expect({ ...said }).toEqual({
      type: 'artifact',
      artifactType: 'McpContent',
      value: { content: [link], structuredContent },
      content: '{"degrees":4,"of":{"city":"Oslo"}}\n\n[resource link: b (test://b)]',
    });
    expect(
      getModelText(await convertResult({ content: [createTextBlock('Cold.'), link], structuredContent })),
    ).toBe('Cold.\n\n[resource link: b (test://b)]');
  });

  it('is not shown if it repeats the bytes of other blocks, as the filesystem server does', async () => {
    const bytes = { type: 'resource', resource: { uri: 'file:///a.bin', blob: 'AAECAw==' } };
    const repeats = { content: [bytes] };
    const answer = await convertResult({ content: [bytes], structuredContent: repeats });
    expect({ ...answer }).toMatchObject({
      value: { structuredContent: repeats },
      content: '[resource file:///a.bin, 4 bytes]',
    });
    expect(
      getModelText(await convertResult({ content: [{ ...image, data: '' }], structuredContent: { a: '' } })),
    ).toBe('{"a":""}\n\n[image image/png, 0 bytes]');
  });

  it('keeps keys such as `__proto__` as ordinary keys', async () => {
    const said = await convertResult(
      JSON.parse('{"structuredContent":{"__proto__":{"a":1},"constructor":2}}'),
    );
    expect(getModelText(said)).toBe('{"__proto__":{"a":1},"constructor":2}');
  });
});

describe('other content', () => {
  it('is kept in an artifact of the type McpContent, and the model sees all text and a line for each other block', async () => {
    const blocks = [createTextBlock('Look:'), link, createTextBlock('Nice?')];
    expect({ ...(await convertContent(...blocks)) }).toEqual({
      type: 'artifact',
      artifactType: 'McpContent',
      value: { content: blocks },
      content: 'Look:\n\n[resource link: b (test://b)]\n\nNice?',
    });
  });

  it.each<[string, object, string]>([
    ['an empty image without a type', { type: 'image', data: '' }, '[image, 0 bytes]'],
    [
      'one byte of audio without a type, in several lines',
      { type: 'audio', data: 'AA\r\n==\r\n' },
      '[audio, 1 byte]',
    ],
    [
      'a link',
      {
        type: 'resource_link',
        name: 'README',
        uri: 'file:///a/README.md',
        mimeType: 'text/markdown',
        size: 1_024,
        description: 'What it is.',
      },
      '[resource link: README (file:///a/README.md), text/markdown, 1,024 bytes: What it is.]',
    ],
    [
      'a link with only a title',
      { type: 'resource_link', name: 'r1', title: 'The plan', uri: 'plan://1' },
      '[resource link: The plan (plan://1)]',
    ],
    [
      'an embedded text',
      { type: 'resource', resource: { uri: 'file:///a.md', mimeType: 'text/markdown', text: '# A\n' } },
      '[resource file:///a.md, text/markdown]\n# A\n',
    ],
    ['an empty resource', { type: 'resource' }, "[content of the type 'resource', which is not known here]"],
    ['a text block without text', { type: 'text' }, "[content of the type 'text', which is not known here]"],
    [
      'a block of an unknown type',
      { type: 'video', data: 'AAAA' },
      "[content of the type 'video', which is not known here]",
    ],
    [
      'a link with a data URL',
      { type: 'resource_link', name: 'dot', uri: 'data:image/png;base64,iVBORw0KGgo=' },
      '[resource link: dot (data:image/png;base64,…)]',
    ],
    [
      'a link whose text has line breaks',
      { type: 'resource_link', name: 'a]\n\n[b', uri: 'x:1\u0007', description: 'One\ntwo.' },
      '[resource link: a] [b (x:1): One two.]',
    ],
    [
      'a link with very long text',
      {
        type: 'resource_link',
        name: 'n'.repeat(300),
        uri: `x:${'u'.repeat(5_000)}`,
        description: 'd'.repeat(300),
      },
      `[resource link: ${'n'.repeat(199)}… (x:${'u'.repeat(4_093)}…): ${'d'.repeat(199)}…]`,
    ],
  ])('is described in text: %s', async (_, block, line) => {
    expect(await convertToText(block)).toBe(line);
    expect({ ...(await convertContent(block)) }).toMatchObject({
      type: 'artifact',
      value: { content: [block] },
    });
  });

  it('is in the artifact if it is for the user only, and the model sees only that it exists', async () => {
    const secret = createTextBlock('Your code is 123.', userAudience);
    expect({ ...(await convertContent(createTextBlock('Sent.'), secret)) }).toEqual({
      type: 'artifact',
      artifactType: 'McpContent',
      value: { content: [createTextBlock('Sent.'), secret] },
      content: 'Sent.\n\n[1 block is for the user only]',
    });
    expect(await convertToText(secret, { ...image, ...userAudience })).toBe(
      '[2 blocks are for the user only]',
    );
  });

  it('can be read by programs as McpContent, even with keys that every object inherits', async () => {
    const said = await convertResult({
      content: [
        { ...image, _meta: { constructor: 1 } },
        { type: 'text', text: 'Look.', constructor: 3 },
      ],
      structuredContent: { constructor: 2 },
    });
    const value = said.type === 'artifact' ? said.value : null;
    const read = readAsType(value, McpContent)?.value as McpContentValue; // the output of its `parse`
    expect(read).toEqual(value);
    expect(readAsType({ content: [{ data: 1 }] }, McpContent)).toBeUndefined();
    expect(readAsType({ content: [], structuredContent: [] }, McpContent)).toBeUndefined();
  });
});

describe('an error', () => {
  const convertError = async (answer: object): Promise<string> =>
    getModelText(await convertResult({ isError: true, ...answer }));

  it('has the server’s message', async () => {
    expect({
      ...(await convertResult({ isError: true, content: [createTextBlock('No such file.')] })),
    }).toEqual({
      type: 'error',
      message: 'No such file.',
    });
    expect(await convertError({ content: [createTextBlock('Broken:\n'), image] })).toBe(
      'Error: Broken:\n\n\n[image image/png, 3,210 bytes]',
    );
  });

  it.each([[[]], [[createTextBlock('')]], [[createTextBlock(' \n')]]])(
    'is reported as empty if it has no message: %j',
    async (blocks) => {
      expect(await convertError({ content: blocks })).toBe(
        "Error: MCP tool 'read' failed and did not say why.",
      );
    },
  );

  it('shows its data as text if it has no text', async () => {
    expect(await convertError({ structuredContent: { code: 7 } })).toBe('Error: {"code":7}');
  });

  it('does not have to match the output schema', async () => {
    const said = await convertResult({ isError: true, content: [createTextBlock('No such city.')] }, weather);
    expect(getModelText(said)).toBe('Error: No such city.');
  });
});

describe('an output schema', () => {
  const convertChecked = async (answer: object, schema: JsonObject = weather): Promise<string> =>
    getModelText(await convertResult(answer, schema));

  it('is compared with the unchanged structured content', async () => {
    expect({ ...(await convertResult({ structuredContent: { degrees: 4 } }, weather)) }).toEqual({
      type: 'artifact',
      value: { degrees: 4 },
    });
  });

  it('turns a mismatch into an error that states that the tool ran, the problem and the result', async () => {
    expect(
      await convertChecked({
        content: [createTextBlock('Four degrees.')],
        structuredContent: { degrees: 'four' },
      }),
    ).toBe(
      "Error: MCP tool 'read' ran, but its answer is not what its output schema says: " +
        'degrees: Instance type "string" is invalid. Expected "number". Do not call it again for this.\n\n' +
        'Its answer, unchecked:\nFour degrees.',
    );
  });

  it('adds the data as text to the error if there is no text, and states if there is no data', async () => {
    expect(await convertChecked({ structuredContent: {} })).toBe(
      "Error: MCP tool 'read' ran, but its answer is not what its output schema says: " +
        'Instance does not have required property "degrees". Do not call it again for this.\n\n' +
        'Its answer, unchecked:\n{}',
    );
    expect(await convertChecked({})).toBe(
      "Error: MCP tool 'read' ran, but its answer is not what its output schema says: " +
        'it holds no structured content. Do not call it again for this.',
    );
  });

  it('shows at most 4,000 characters of a mismatching result, and no base64', async () => {
    const said = await convertChecked({ content: [image, createTextBlock('x'.repeat(5_000))] });
    expect(said.length).toBeLessThan(4_250);
    expect(said).toContain('[image image/png, 3,210 bytes]');
    expect(said).not.toContain('AAAA');
  });

  it('leads to an error if the result cannot be checked within the limits', async () => {
    const bomb = Array.from({ length: 40 }, (_, index) => [
      `d${index}`,
      { allOf: [{ $ref: `#/$defs/d${index + 1}` }, { $ref: `#/$defs/d${index + 1}` }] },
    ]);
    const schema = { type: 'object', $ref: '#/$defs/d0', $defs: { ...Object.fromEntries(bomb), d40: {} } };
    expect(await convertChecked({ structuredContent: { a: 1 } }, schema)).toBe(
      "Error: MCP tool 'read' ran, but its answer is not what its output schema says: " +
        'it could not be checked. Do not call it again for this.\n\nIts answer, unchecked:\n{"a":1}',
    );
  });
});
