import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { listPaymentsTo } from '../../../fixtures/clerk-agent.ts';
import { ORIGIN, readJournal, readJson, send } from './client.ts';
import { answer, startWaitingTurn, type WaitingTurn } from './waiting.ts';

const SEED = 20261122;
const APPROVE = '{"decision":"approve"}';
const FOUND = '{"text":"Found."}';
/** The placeholder for the session's turn in a drawn path or body. */
const TURN = '~turn~';

interface DrawnRequest {
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: string;
}

const toJsonText = (value: fc.Arbitrary<unknown>): fc.Arbitrary<string> =>
  value.map((one) => JSON.stringify(one));
const createNestedArrays = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`;
const text = fc.string({ unit: 'binary', maxLength: 40 });
const notText = fc.jsonValue().filter((value) => typeof value !== 'string');

/** Each is an invalid decision and result for every call. */
const BODIES = [
  '',
  '{',
  'null',
  '[]',
  '{}',
  '"approve"',
  createNestedArrays(9_000),
  `{"decision":"edit","input":{"to":${createNestedArrays(9_000)},"amount":1}}`,
  `{"decision":"edit","input":{"to":"a","amount":1},"more":${createNestedArrays(9_000)}}`,
  `{"result":${createNestedArrays(9_000)}}`,
  '{"__proto__":{"decision":"approve","text":"a"}}',
  '{"decision":"approve","__proto__":{"by":"eve"}}',
  '{"text":"a","__proto__":{"by":"eve"}}',
  '{"decision":"approve","by":"eve"}',
  '{"decision":"edit"}',
  '{"decision":"edit","input":{"__proto__":{"to":"a","amount":1}}}',
  '{"result":1,"text":"a"}',
  `{"decision":"approve","reason":"${'x'.repeat(2_001)}"}`,
];
const hostileBody = fc.oneof(
  fc.constantFrom(...BODIES),
  fc
    .constantFrom('{"decision":"approve","reason":"', '{"text":"')
    .map((start) => `${start}${'x'.repeat(1_000_000)}"}`),
  toJsonText(fc.record({ decision: fc.jsonValue() })),
  toJsonText(fc.record({ decision: fc.constant('edit'), input: fc.record({ to: text, amount: text }) })),
  toJsonText(fc.record({ decision: fc.constant('edit'), input: notText })),
  toJsonText(fc.record({ decision: fc.constantFrom('approve', 'reject', 'exit'), input: fc.jsonValue() })),
  toJsonText(fc.record({ decision: fc.constantFrom('approve', 'exit'), reason: notText })),
  toJsonText(fc.record({ text: notText })),
  toJsonText(fc.record({ error: notText })),
  toJsonText(fc.record({ text, error: text })),
  fc.json(),
  text,
);
const anyBody = fc.oneof(fc.constantFrom(APPROVE, FOUND), hostileBody);

/** Invalid call ids, even after decoding. The first three lead to other paths. */
const CALLS = [
  '',
  '.',
  '..',

  ...[
    '__proto__',
    'constructor',
    'toString',
    '%',
    '%ff',
    '%00',
    '%E0%A4%A',
    '.3.0',
    '...',
    'x'.repeat(9_000),
  ],
  ...['.3', '.3.00', '.3.-1', '.3.2', '.03.0', '.3.0.0', '.3.1e0', '.4.0', `.${'9'.repeat(400)}.0`].map(
    (end) => `${TURN}${end}`,
  ),
  ...['%00', '%20', '%0A', '%2F', '%252e', ';a', '%EF%BB%BF'].map((end) => `${TURN}.3.0${end}`),
  `${TURN}%252e3%252e0`,
  `%2500${TURN}.3.0`,
  `${TURN}.%EF%BC%93.0`,
];
const hostileCall = fc.oneof(
  fc.constantFrom(...CALLS),
  text.map((one) => encodeURIComponent(one.toWellFormed())),
  fc.string({ maxLength: 12 }).map((one) => one.replace(/[\s\\]/g, '')),
);

const headers = fc.record(
  {
    'content-type': fc.constantFrom('application/json', 'application/json', 'text/plain', 'x'),
    accept: fc.constantFrom('text/event-stream', '*/*'),
    prefer: fc.constant('respond-async'),
    'idempotency-key': fc.constantFrom('k1', 'k2', 'a b', 'x'.repeat(256)),
  },
  { requiredKeys: [] },
);
const QUESTIONS = ['?question=0', '?question=2', '?question=1e9', '?question=__proto__', '?question='];
const question = fc.constantFrom('', '', ...QUESTIONS);

const drawRequests = (
  route: fc.Arbitrary<string>,
  call: fc.Arbitrary<string>,
  body: fc.Arbitrary<string>,
): fc.Arbitrary<DrawnRequest> =>
  fc.record({
    path: fc.tuple(route, call, question).map(([one, id, more]) => `/${one}/${id}${more}`),
    headers: headers.map((all) => ({ 'content-type': 'application/json', ...all })),
    body,
  });
const bothRoutes = fc.constantFrom('approvals', 'results');
const drawnRequest = fc
  .oneof(
    drawRequests(bothRoutes, fc.constantFrom(`${TURN}.3.0`, `${TURN}.3.1`), hostileBody),
    drawRequests(bothRoutes, hostileCall, anyBody),
    // The right call, with a body for the other kind of call.
    drawRequests(fc.constant('approvals'), fc.constant(`${TURN}.3.1`), fc.constantFrom(APPROVE, FOUND)),
    drawRequests(fc.constant('results'), fc.constant(`${TURN}.3.0`), fc.constantFrom(APPROVE, FOUND)),
  )
  .filter(({ path }) => URL.canParse(`${ORIGIN}${path}`));

const EXPECTED_STATUSES = [400, 404, 409, 413, 415, 422];

const ROUTES = ['approvals', 'results'];
const WAITING_CALLS = [`${TURN}.3.0`, `${TURN}.3.1`];
const VALID_BODIES = [APPROVE, FOUND];
const answerPaths = (calls: readonly string[], more: readonly string[] = ['']): string[] =>
  ROUTES.flatMap((route) => calls.flatMap((call) => more.map((query) => `/${route}/${call}${query}`)));
const toRequests = (paths: readonly string[], bodies: readonly string[]): DrawnRequest[] =>
  paths.flatMap((path) =>
    bodies.map((body) => ({ path, headers: { 'content-type': 'application/json' }, body })),
  );
/** Tried before random inputs: each item above in an otherwise valid request. */
const LISTED_REQUESTS = [
  ...toRequests(answerPaths(WAITING_CALLS), BODIES),
  ...toRequests(answerPaths(CALLS), VALID_BODIES),
  ...toRequests(answerPaths(WAITING_CALLS, QUESTIONS), VALID_BODIES),
];

async function sendRefused(
  { session, turn }: WaitingTurn,
  { path, headers, body }: DrawnRequest,
): Promise<number> {
  const response = await send(`${session}${path.replaceAll(TURN, turn)}`, {
    method: 'POST',
    headers,
    body,
  });
  expect(EXPECTED_STATUSES).toContain(response.status);
  expect(response.headers.get('content-type')).toBe('application/problem+json');
  const type = expect.stringMatching(/^urn:holdfast:problem:[a-z-]+$/);
  const said = await response.text();
  expect(JSON.parse(said)).toMatchObject({ type, status: response.status, detail: expect.any(String) });
  expect(said.length).toBeLessThan(3_000);
  return response.status;
}

describe('an arbitrary answer from a client', () => {
  it('returns a 4xx problem, journals no event, and leaves both calls waiting', async () => {
    const log = vi.spyOn(console, 'error');
    const wait = await startWaitingTurn(['pay', 'look_up']);
    const readStanding = async () => [
      await readJournal(wait.session),
      await readJson(await send(wait.session)),
    ];
    const before = await readStanding();
    const seen = new Set<number>();
    await fc.assert(
      fc.asyncProperty(drawnRequest, async (one) => {
        seen.add(await sendRefused(wait, one));
        expect(await readStanding()).toEqual(before);
      }),
      { seed: SEED, numRuns: LISTED_REQUESTS.length + 200, examples: LISTED_REQUESTS.map((one) => [one]) },
    );
    expect(log).not.toHaveBeenCalled();
    expect([...seen].sort()).toEqual(EXPECTED_STATUSES); // checks the test itself: the random inputs reached every outcome
    expect([wait.model.requests.length, listPaymentsTo(wait.to)]).toEqual([1, []]);
    const [approval = '', result = ''] = wait.links;
    expect((await answer(approval, APPROVE)).status).toBe(202);
    expect(await readJson(await answer(result, FOUND))).toMatchObject({
      outcome: 'completed',
      text: 'Done.',
    });
    expect(listPaymentsTo(wait.to)).toEqual([1]);
    log.mockRestore();
  }, 60_000);
});
