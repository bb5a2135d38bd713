import { describe, expect, it } from 'vitest';
import type { Effect } from '../../../../../src/index.ts';
import type { ToolHints } from '../../../../../src/mcp/tools/entry.ts';
import { effectOf } from '../../../../doors/mcp.ts';
import { client, listed } from './listing-fixtures.ts';

describe('`effectOf`', () => {
  it.each<[string, ToolHints | undefined, Effect]>([
    ['no hints', undefined, 'once'],
    ['readOnlyHint', { readOnlyHint: true }, 'read'],
    ['idempotentHint', { idempotentHint: true }, 'idempotent'],
    ['both', { readOnlyHint: true, idempotentHint: true }, 'read'],
    ['hints that are false', { readOnlyHint: false, idempotentHint: false }, 'once'],
    ['idempotentHint of a tool that writes', { readOnlyHint: false, idempotentHint: true }, 'idempotent'],
    ['no destruction, which does not say that it may be repeated', { destructiveHint: false }, 'once'],
    ['destruction that may be repeated', { destructiveHint: true, idempotentHint: true }, 'idempotent'],
    ['a closed world', { openWorldHint: false }, 'once'],
  ])('%s', (_, hints, effect) => {
    expect(effectOf(listed({ ...(hints && { hints }) }), client())).toBe(effect);
  });

  it('uses the client’s setting for a tool instead of the server’s hint', () => {
    const careful = client({ effects: { read: 'once', write: 'read' } });
    expect(effectOf(listed({ name: 'read', hints: { readOnlyHint: true } }), careful)).toBe('once');
    expect(effectOf(listed({ name: 'write' }), careful)).toBe('read');
    expect(effectOf(listed({ name: 'other', hints: { readOnlyHint: true } }), careful)).toBe('read');
  });

  it.each(['constructor', '__proto__', 'toString'])('a tool named %s does not inherit an effect', (name) => {
    expect(effectOf(listed({ name }), client({ effects: {} }))).toBe('once');
    expect(effectOf(listed({ name }), client())).toBe('once');
  });
});
