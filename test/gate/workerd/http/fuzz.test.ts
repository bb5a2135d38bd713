import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { ORIGIN, send } from './client.ts';

const SEED = 20261121;

interface DrawnRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body?: string;
}

const visible = fc.string({ maxLength: 30 }).map((text) => text.replace(/[^\x20-\x7e]/g, '~'));
const drawOftenOr = <T>(usual: fc.Arbitrary<T>, other: fc.Arbitrary<T>): fc.Arbitrary<T> =>
  fc.oneof({ weight: 4, arbitrary: usual }, { weight: 1, arbitrary: other });

const headers = fc.record(
  {
    'content-type': drawOftenOr(
      fc.constantFrom('application/json', 'application/json; charset=utf-8'),
      visible,
    ),
    accept: drawOftenOr(fc.constantFrom('text/event-stream', '*/*', 'text/event-stream;q=0'), visible),
    prefer: drawOftenOr(fc.constant('respond-async'), visible),
    'idempotency-key': drawOftenOr(fc.constantFrom('k1', 'k2'), visible),
    'last-event-id': drawOftenOr(fc.constantFrom('0', '3', '99999'), visible),
    authorization: visible,
    'x-locale': visible,
    cookie: visible,
  },
  { requiredKeys: [] },
);

const anyValue = fc.anything({ withBigInt: false, withNullPrototype: true });
const message = fc.record(
  {
    message: drawOftenOr<unknown>(fc.string({ unit: 'binary' }), anyValue),
    context: drawOftenOr<unknown>(
      fc.dictionary(fc.constantFrom('a', 'b', 'nested'), fc.jsonValue()),
      fc.oneof(fc.dictionary(fc.string(), fc.jsonValue()), anyValue),
    ),
    loopId: drawOftenOr<unknown>(fc.constantFrom('loop', 'a b'), anyValue),
    other: fc.constant(1),
  },
  { requiredKeys: ['message'] },
);
const body = fc.oneof(
  { weight: 5, arbitrary: message.map((value) => JSON.stringify(value)) },
  { weight: 1, arbitrary: fc.json() },
  { weight: 1, arbitrary: fc.string({ unit: 'binary' }) },
);

const session = fc.nat(9).map((id) => `/agents/scripted/sessions/fuzz${id}`);
const segment = fc.oneof(
  fc.constantFrom(
    'agents',
    'scripted',
    'sessions',
    'fuzz1',
    'messages',
    'events',
    'cancel',
    '__proto__',
    '..',
    '%',
    '',
  ),
  fc.string({ maxLength: 12 }).map((text) => encodeURIComponent(text)),
  fc.string({ maxLength: 8 }).map((text) => text.replace(/[\s\\]/g, '')),
);

const postedRequest: fc.Arbitrary<DrawnRequest> = fc.record({
  method: fc.constant('POST'),
  path: session.map((place) => `${place}/messages`),
  headers: headers.map((all) => ({ 'content-type': 'application/json', ...all })),
  body,
});
const read: fc.Arbitrary<DrawnRequest> = fc.record({
  method: fc.constantFrom('GET', 'HEAD'),
  path: fc
    .tuple(session, fc.oneof(fc.nat(9).map(String), fc.string({ maxLength: 6 })))
    .chain(([place, value]) =>
      fc.constantFrom(place, `${place}/events`, `${place}/events?after=${value}&limit=${value}`),
    ),
  headers,
});
const other: fc.Arbitrary<DrawnRequest> = fc.record(
  {
    method: fc.constantFrom('POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'post'),
    path: fc.oneof(
      session.map((place) => `${place}/cancel`),
      fc.array(segment, { maxLength: 6 }).map((segments) => `/${segments.join('/')}`),
    ),
    headers,
    body,
  },
  { requiredKeys: ['method', 'path', 'headers'] },
);
const request = fc
  .oneof(
    { weight: 6, arbitrary: postedRequest },
    { weight: 3, arbitrary: read },
    { weight: 2, arbitrary: other },
  )
  .filter(({ path }) => URL.canParse(`${ORIGIN}${path}`));

const EXPECTED_STATUSES = [200, 202, 400, 404, 405, 409, 415, 422, 502];

async function checkResponse(response: Response): Promise<number> {
  const { status } = response;
  const type = response.headers.get('content-type');
  expect(EXPECTED_STATUSES).toContain(status);
  if (type === 'text/event-stream') {
    await response.body?.cancel();
    return status;
  }
  const text = await response.text();
  expect(type).toBe(status < 400 ? 'application/json' : 'application/problem+json');
  const said: unknown = text === '' ? undefined : JSON.parse(text);
  if (status >= 400 && said !== undefined) {
    const urn = expect.stringMatching(/^urn:holdfast:problem:[a-z-]+$/);
    expect(said).toMatchObject({ type: urn, status, detail: expect.stringMatching(/[.?-]$/) });
  }
  return status;
}

describe('an arbitrary request from a client', () => {
  it('returns JSON, a stream or a problem, and never an internal error', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {});
    const seen = new Set<number>();
    await fc.assert(
      fc.asyncProperty(request, async ({ path, ...init }) => {
        seen.add(await checkResponse(await send(path, init)));
      }),
      { seed: SEED, numRuns: 300 },
    );
    const ofModels = /No model is registered for this session\./;
    expect(log.mock.calls.filter(([text]) => !ofModels.test(String(text)))).toEqual([]);
    // Checks the test itself: the random inputs reached every outcome.
    expect([...seen].sort()).toEqual(EXPECTED_STATUSES);
    log.mockRestore();
  }, 60_000);
});
