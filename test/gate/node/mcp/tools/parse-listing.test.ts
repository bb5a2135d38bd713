import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../../../../src/index.ts';
import { parseListing } from '../../../../doors/mcp.ts';
import { list } from './listing-fixtures.ts';

const object = { type: 'object' };
const read = { name: 'read', description: 'Reads a file.', inputSchema: object };

describe('`parseListing`', () => {
  const kept = async (): Promise<Record<string, Json>> =>
    JSON.parse(JSON.stringify(await list([{ ...read, title: 'R', annotations: { readOnlyHint: true } }])));

  it('returns the same object, so that derived values can be cached by it', async () => {
    const told = await kept();
    expect(parseListing(told)).toBe(told);
    expect(parseListing(told)).toBe(told);
  });

  it.each<[string, (told: Record<string, Json>, tool: JsonObject) => Json]>([
    ['nothing', () => null],
    ['a text', () => 'listing'],
    ['a list', () => []],
    ['no client', ({ client: _, ...told }) => told],
    ['a time that is none', (told) => ({ ...told, at: '1' })],
    ['a fingerprint that is none', (told) => ({ ...told, fingerprint: 'x' })],
    ['tools that are no list', (told) => ({ ...told, tools: {} })],
    ['a tool without a description', (told, { description: _, ...tool }) => ({ ...told, tools: [tool] })],
    [
      'a schema of something else',
      (told, tool) => ({ ...told, tools: [{ ...tool, inputSchema: { type: 'array' } }] }),
    ],
    [
      'a hint that is no boolean',
      (told, tool) => ({ ...told, tools: [{ ...tool, hints: { readOnlyHint: 1 } }] }),
    ],
    ['a mark that is not known', (told, tool) => ({ ...told, tools: [{ ...tool, refused: false }] })],
    [
      'a tool whose first definition has no schema',
      (told) => ({
        ...told,
        gone: [{ name: 'a', fingerprint: '0'.repeat(64), first: { fingerprint: '0'.repeat(64) } }],
      }),
    ],
    ['a drift that is not told in full', (told) => ({ ...told, drift: { added: [] } })],
    ['what is gone without a fingerprint', (told) => ({ ...told, gone: [{ name: 'a' }] })],
  ])('rejects %s', async (_, change) => {
    const told = await kept();
    const [tool] = told.tools as readonly JsonObject[]; // as `list` made them
    expect(parseListing(change(told, tool ?? {}))).toBeUndefined();
  });
});
