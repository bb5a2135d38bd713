import { type CallToolResult, CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../../src/index.ts';
import { toResult } from '../../../../doors/mcp.ts';
import { getModelText } from '../../../../doors/tools.ts';
import { createListedTool } from './listing-fixtures.ts';

/** A result as a server may send it, even one that no schema accepts. */
const callResult = (answer: object): CallToolResult => ({ content: [], ...answer });
const convertResult = (answer: object, outputSchema?: JsonObject) =>
  toResult(createListedTool(outputSchema && { outputSchema }), callResult(answer));

const weather = { type: 'object', properties: { degrees: { type: 'number' } }, required: ['degrees'] };

describe('`toResult` for any server output', () => {
  it('reports that the tool ran if the result is not JSON that can be stored', async () => {
    let deep: JsonObject = {};
    for (let level = 0; level < 600; level += 1) deep = { a: deep };
    expect(getModelText(await convertResult({ structuredContent: deep }))).toMatch(
      /^Error: MCP tool 'read' ran, but its answer cannot be kept: the value at `\$\.structuredContent[.a]{1,182}…` is nested more than 500 levels deep\. Do not call it again for this\.$/,
    );
  });

  it('returns a result without base64 in its text or beside its files, for any output that the SDK’s schema accepts', async () => {
    const data = fc
      .uint8Array({ minLength: 60, maxLength: 90 })
      .map((bytes) => btoa(String.fromCharCode(...bytes)));
    const meta = fc.record(
      {
        annotations: fc.record(
          {
            audience: fc.array(fc.constantFrom('user', 'assistant'), { maxLength: 2 }),
            priority: fc.constant(0.5),
          },
          { requiredKeys: [] },
        ),
        _meta: fc.dictionary(fc.string({ maxLength: 4 }), fc.jsonValue({ maxDepth: 1 }), { maxKeys: 2 }),
      },
      { requiredKeys: [] },
    );
    const said = fc.string({ unit: 'binary', maxLength: 20 });
    const mimeType = fc.oneof(said, fc.constantFrom('image/png', 'text/html'));
    const block = fc
      .tuple(
        fc.oneof(
          fc.record({ type: fc.constant('text'), text: said }),
          fc.record({ type: fc.constantFrom('image', 'audio'), data, mimeType }),
          fc.record({
            type: fc.constant('resource_link'),
            uri: said,
            name: said,
            title: said,
            description: said,
          }),
          fc.record({ type: fc.constant('resource'), resource: fc.record({ uri: said, text: said }) }),
          fc.record({
            type: fc.constant('resource'),
            resource: fc.record({ uri: said, blob: data, mimeType }),
          }),
        ),
        meta,
      )
      .map((parts) => Object.assign({}, ...parts));
    const answer = fc.record(
      {
        content: fc.array(block, { maxLength: 5 }),
        structuredContent: fc.dictionary(said, fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 }),
        isError: fc.boolean(),
      },
      { requiredKeys: ['content'] },
    );
    const schema = fc.constantFrom(undefined, { type: 'object' }, weather);
    let files = 0;
    const property = fc.asyncProperty(answer, schema, async (told, outputSchema) => {
      const made = await toResult(
        createListedTool(outputSchema && { outputSchema }),
        CallToolResultSchema.parse(told),
      );
      expect(told.isError ? ['error'] : ['text', 'artifact', 'error']).toContain(made.type);
      for (const one of told.content) {
        const [whole, binary] = [
          JSON.stringify(one),
          /"(?:data|blob)":"([^"]+)"/.exec(JSON.stringify(one))?.[1],
        ];
        if (binary === undefined) continue;
        expect(getModelText(made), whole).not.toContain(binary);
        const bytes = Buffer.from(binary, 'base64');
        const isFile =
          'parts' in made && made.parts?.some((part) => 'bytes' in part && bytes.equals(part.bytes));
        if (isFile) expect(JSON.stringify({ ...made, parts: [] }), whole).not.toContain(binary);
        if (isFile) files += 1;
      }
    });
    await fc.assert(property, { numRuns: 400, seed: 20_261_122 });
    expect(files).toBeGreaterThan(20);
  });

  it('accepts blocks and results that no schema accepts', async () => {
    const property = fc.asyncProperty(
      fc.anything({ withBigInt: true, withDate: true, maxDepth: 4 }),
      async (odd) => {
        const answer = { content: [odd], structuredContent: odd, isError: odd } as unknown as CallToolResult; // The answer may be any value.
        expect(['text', 'artifact', 'error']).toContain((await toResult(createListedTool(), answer)).type);
        const whole = odd as CallToolResult; // The answer may be any value.
        expect(['text', 'artifact', 'error']).toContain(
          (await toResult(createListedTool({ outputSchema: weather }), whole)).type,
        );
      },
    );
    await fc.assert(property, { numRuns: 400, seed: 20_261_122 });
  });
});
