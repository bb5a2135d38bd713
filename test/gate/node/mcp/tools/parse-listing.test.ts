import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../../../../src/index.ts';
import { parseListing } from '../../../../doors/mcp.ts';
import { createListing } from './listing-fixtures.ts';

const object = { type: 'object' };
const read = { name: 'read', description: 'Reads a file.', inputSchema: object };

describe('`parseListing`', () => {
  const createKeptListing = async (): Promise<Record<string, Json>> =>
    JSON.parse(
      JSON.stringify(await createListing([{ ...read, title: 'R', annotations: { readOnlyHint: true } }])),
    );

  it('returns the same object, so values derived from it can be cached', async () => {
    const told = await createKeptListing();
    expect(parseListing(told)).toBe(told);
    expect(parseListing(told)).toBe(told);
  });

  it.each<[string, (told: Record<string, Json>, tool: JsonObject) => Json]>([
    ['null', () => null],
    ['a text', () => 'listing'],
    ['a list', () => []],
    ['a listing without a client', ({ client: _, ...told }) => told],
    ['an invalid time', (told) => ({ ...told, at: '1' })],
    ['an invalid fingerprint', (told) => ({ ...told, fingerprint: 'x' })],
    ['tools that are not a list', (told) => ({ ...told, tools: {} })],
    ['a tool without a description', (told, { description: _, ...tool }) => ({ ...told, tools: [tool] })],
    [
      'a schema that is not an object schema',
      (told, tool) => ({ ...told, tools: [{ ...tool, inputSchema: { type: 'array' } }] }),
    ],
    [
      'a hint that is not a boolean',
      (told, tool) => ({ ...told, tools: [{ ...tool, hints: { readOnlyHint: 1 } }] }),
    ],
    ['an unknown mark', (told, tool) => ({ ...told, tools: [{ ...tool, refused: false }] })],
    [
      'a tool whose first definition has no schema',
      (told) => ({
        ...told,
        gone: [{ name: 'a', fingerprint: '0'.repeat(64), first: { fingerprint: '0'.repeat(64) } }],
      }),
    ],
    ['an incomplete drift', (told) => ({ ...told, drift: { added: [] } })],
    ['a removed tool without a fingerprint', (told) => ({ ...told, gone: [{ name: 'a' }] })],
  ])('rejects %s', async (_, change) => {
    const told = await createKeptListing();
    const [tool] = told.tools as readonly JsonObject[]; // as `list` creates them
    expect(parseListing(change(told, tool ?? {}))).toBeUndefined();
  });
});
