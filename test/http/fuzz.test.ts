import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { ORIGIN, send } from './client.ts';

const SEED = 20261121;

const segment = fc.oneof(
  fc.constantFrom(
    'agents',
    'scripted',
    'sessions',
    's1',
    's2',
    'messages',
    'events',
    'cancel',
    '__proto__',
    '..',
    '%',
    '',
  ),
  fc.string({ maxLength: 12 }).map((text) => encodeURIComponent(text.toWellFormed())),
  fc.string({ maxLength: 8 }).map((text) => text.replace(/[\s\\]/g, '')),
);
const session = fc.constantFrom('/agents/scripted/sessions/fuzz1', '/agents/scripted/sessions/fuzz2');
const path = fc.oneof(
  session,
  fc
    .tuple(
      session,
      fc.constantFrom('/messages', '/messages', '/events', '/cancel', '/events?after=', '/events?limit='),
    )
    .map((parts) => parts.join('')),
  fc
    .tuple(session, fc.string({ maxLength: 6 }))
    .map(([place, value]) => `${place}/events?after=${value}&limit=${value}`),
  fc.array(segment, { maxLength: 6 }).map((segments) => `/${segments.join('/')}`),
);

const visible = fc.string({ maxLength: 30 }).map((text) => text.replace(/[^\x20-\x7e]/g, '~'));
const headers = fc.record(
  {
    'content-type': fc.oneof(fc.constant('application/json'), fc.constant('application/json'), visible),
    accept: fc.oneof(fc.constantFrom('text/event-stream', '*/*', 'text/event-stream;q=0'), visible),
    prefer: fc.oneof(fc.constant('respond-async'), visible),
    'idempotency-key': fc.oneof(fc.constantFrom('k1', 'k2'), visible),
    'last-event-id': fc.oneof(fc.constantFrom('0', '3'), visible),
    authorization: visible,
    'x-locale': visible,
    cookie: visible,
  },
  { requiredKeys: [] },
);

const body = fc.oneof(
  fc
    .record(
      {
        message: fc.string(),
        context: fc.dictionary(fc.string(), fc.jsonValue()),
        loopId: fc.constantFrom('l', ''),
      },
      { requiredKeys: ['message'] },
    )
    .map((value) => JSON.stringify(value)),
  fc
    .record({ message: fc.anything(), context: fc.anything(), other: fc.jsonValue() }, { requiredKeys: [] })
    .map((value) => {
      try {
        return JSON.stringify(value) ?? '';
      } catch {
        return '{';
      }
    }),
  fc.json(),
  fc.string({ unit: 'binary' }),
);
const method = fc.constantFrom(
  'POST',
  'POST',
  'POST',
  'GET',
  'GET',
  'HEAD',
  'PUT',
  'DELETE',
  'OPTIONS',
  'PATCH',
  'post',
);

async function check(response: Response): Promise<void> {
  const type = response.headers.get('content-type');
  expect([200, 202, 400, 404, 405, 409, 413, 415, 422, 502]).toContain(response.status);
  if (type === 'text/event-stream') {
    await response.body?.cancel();
    return;
  }
  const text = await response.text();
  expect(type).toBe(response.status < 400 ? 'application/json' : 'application/problem+json');
  if (text === '') return;
  const said: unknown = JSON.parse(text);
  if (response.status < 400) return;
  expect(said).toMatchObject({
    type: expect.stringMatching(/^urn:holdfast:problem:[a-z-]+$/),
    status: response.status,
  });
  expect(said).toHaveProperty('detail', expect.stringMatching(/^[^]*\.$|A-Z a-z 0-9 _ \. : @ -$/));
}

describe('whatever a client sends', () => {
  it('gets JSON, a stream or a problem, and never an error of the inside', async () => {
    const log = vi.spyOn(console, 'error');
    await fc.assert(
      fc.asyncProperty(path, method, headers, body, async (where, how, with_, what) => {
        fc.pre(URL.canParse(`${ORIGIN}${where}`) && new URL(`${ORIGIN}${where}`).origin === ORIGIN);
        const hasBody = how.toUpperCase() !== 'GET' && how !== 'HEAD';
        await check(await send(where, { method: how, headers: with_, ...(hasBody && { body: what }) }));
      }),
      { seed: SEED, numRuns: 300 },
    );
    expect(log).not.toHaveBeenCalled();
    log.mockRestore();
  }, 60_000);
});
