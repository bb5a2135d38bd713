import { describe, expect, it } from 'vitest';
import type { Effect } from '../../../../../src/index.ts';
import type { ToolHints } from '../../../../../src/mcp/tools/entry.ts';
import { effectOf } from '../../../../doors/mcp.ts';
import { client, listedTool } from './listing-fixtures.ts';

describe('`effectOf`', () => {
  it.each<[string, ToolHints | undefined, Effect]>([
    ['no hints', undefined, 'once'],
    ['readOnlyHint', { readOnlyHint: true }, 'read'],
    ['idempotentHint', { idempotentHint: true }, 'idempotent'],
    ['both', { readOnlyHint: true, idempotentHint: true }, 'read'],
    ['false hints', { readOnlyHint: false, idempotentHint: false }, 'once'],
    ['idempotentHint of a tool that writes', { readOnlyHint: false, idempotentHint: true }, 'idempotent'],
    ['destructiveHint: false, which does not allow a repetition', { destructiveHint: false }, 'once'],
    ['destructiveHint with idempotentHint', { destructiveHint: true, idempotentHint: true }, 'idempotent'],
    ['openWorldHint: false', { openWorldHint: false }, 'once'],
  ])('is derived from hints: %s', (_, hints, effect) => {
    expect(effectOf(listedTool({ ...(hints && { hints }) }), client())).toBe(effect);
  });

  it('prefers the client’s setting for a tool to the server’s hint', () => {
    const careful = client({ effects: { read: 'once', write: 'read' } });
    expect(effectOf(listedTool({ name: 'read', hints: { readOnlyHint: true } }), careful)).toBe('once');
    expect(effectOf(listedTool({ name: 'write' }), careful)).toBe('read');
    expect(effectOf(listedTool({ name: 'other', hints: { readOnlyHint: true } }), careful)).toBe('read');
  });

  it.each(['constructor', '__proto__', 'toString'])(
    'does not find an inherited setting for a tool named %s',
    (name) => {
      expect(effectOf(listedTool({ name }), client({ effects: {} }))).toBe('once');
      expect(effectOf(listedTool({ name }), client())).toBe('once');
    },
  );
});
