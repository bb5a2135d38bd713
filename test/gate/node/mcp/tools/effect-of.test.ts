import { describe, expect, it } from 'vitest';
import type { Effect } from '../../../../../src/index.ts';
import type { ToolHints } from '../../../../../src/mcp/tools/entry.ts';
import { getEffect } from '../../../../doors/mcp.ts';
import { createClient, createListedTool } from './listing-fixtures.ts';

describe('`getEffect`', () => {
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
    expect(getEffect(createListedTool({ ...(hints && { hints }) }), createClient())).toBe(effect);
  });

  it('prefers the client’s setting for a tool to the server’s hint', () => {
    const careful = createClient({ effects: { read: 'once', write: 'read' } });
    expect(getEffect(createListedTool({ name: 'read', hints: { readOnlyHint: true } }), careful)).toBe(
      'once',
    );
    expect(getEffect(createListedTool({ name: 'write' }), careful)).toBe('read');
    expect(getEffect(createListedTool({ name: 'other', hints: { readOnlyHint: true } }), careful)).toBe(
      'read',
    );
  });

  it.each(['constructor', '__proto__', 'toString'])(
    'does not find an inherited setting for a tool named %s',
    (name) => {
      expect(getEffect(createListedTool({ name }), createClient({ effects: {} }))).toBe('once');
      expect(getEffect(createListedTool({ name }), createClient())).toBe('once');
    },
  );
});
