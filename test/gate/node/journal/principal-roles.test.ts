import { describe, expect, it } from 'vitest';
import { parseEvent, toRow } from '../../../doors/journal.ts';

type SessionEvent = Parameters<typeof toRow>[0];

type Principal = Extract<SessionEvent, { type: 'turn-started' }>['principal'];

const started = (principal: Principal): SessionEvent => ({
  type: 'turn-started',
  turn: 't1',
  loopId: 't1',
  message: 'Hello',
  context: {},
  principal,
});
const steered = (principal: Principal): SessionEvent => ({
  type: 'turn-steered',
  turn: 't1',
  as: 't2',
  message: 'Hello',
  principal,
});

describe.each([
  ['turn-started', started],
  ['turn-steered', steered],
] as const)('%s', (_, eventOf) => {
  it.each<[string, Principal, number]>([
    ['without roles is written as ever, so that older code reads it', { id: 'ann', tenant: 'acme' }, 1],
    ['with roles is of version 4, which older code leaves alone', { id: 'ann', roles: ['clerk'] }, 4],
  ])('%s', (_name, principal, version) => {
    const row = toRow(eventOf(principal));
    expect(JSON.parse(row.body).v).toBe(version);
    expect(parseEvent({ ...row, seq: 2, at: 0 })).toEqual({ seq: 2, at: 0, ...eventOf(principal) });
  });
});
