/**
 * A build that finds events of a newer build leaves the session unchanged until the newer build is deployed
 * again.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pollUntil } from '../../../src/examples/demo/ports.ts';
import { openSite, type Site } from './site.ts';
import { readStoredSessions, type StoredSession } from './stored.ts';
import { currentBuild, laterBuild, withAnotherType } from './versions.ts';
import type { Visit, VisitResponse } from './visit.ts';

let site: Site;
let before: ReadonlyMap<string, StoredSession>;
let after: ReadonlyMap<string, StoredSession>;
let waiting: Promise<unknown>;

const visitSession = (session: string): Visit => site.visit('clerk', session);
const toStoredName = (session: string): string => JSON.stringify(['local', 'clerk', session]);

/** The response to every request for a session whose event `seq` is newer than the build. */
const createNewerProblem = (seq: number) => ({
  status: 503,
  type: 'application/problem+json',
  retryAfter: '5',
  body: {
    type: 'urn:holdfast:problem:newer-deployment',
    title: 'newer deployment',
    status: 503,
    detail: `Event ${seq} was written by a newer version of this Worker. Try again when the deployment is complete.`,
  },
});

beforeAll(async () => {
  site = await openSite('clerk.ts');
  const { world } = site;
  world.plays('clerk', ['One.', 'Two.']);
  world.plays('clerk', [[['file_order']], 'Filed.'], 'File it.');
  world.plays('clerk', [[['send_order']], 'Sent.'], 'Send it.');
  await site.deploy(withAnotherType);
  await visitSession('typed').say('Hello.');
  await site.deploy(laterBuild);
  await visitSession('ended').say('Hello.');
  await visitSession('waiting').say('Send it.');
  const filing = world.hold('clerk', 'file_order');
  await visitSession('running').start('File it.');
  await filing.reached;
  await site.kill();
  filing.release();
  before = readStoredSessions(site.storage);
  await site.deploy(currentBuild);
});
afterAll(() => site.close());

describe('an older build', () => {
  it.each([
    ['typed', 3, 3],
    ['ended', 1, 2],
    ['waiting', 1, 2],
    ['running', 1, 2],
  ] as const)('does not show the session %s, which has newer events', async (session, seq, seqOfTurn) => {
    expect(await visitSession(session).get()).toMatchObject(createNewerProblem(seq));
    expect(await visitSession(session).get('/events')).toMatchObject(createNewerProblem(seq));
    const stream = { accept: 'text/event-stream', 'last-event-id': String(seq - 1) };
    expect(await visitSession(session).get('/events', stream)).toMatchObject(createNewerProblem(seq));
    expect(await visitSession(session).get(`/turns/${getTurnId(session)}`)).toMatchObject(
      createNewerProblem(seqOfTurn),
    );
  });

  it('refuses a decision, and refuses a message while a decision is pending', async () => {
    const { call } = findFirst('waiting', 'tool-call-suspended');
    expect(await visitSession('waiting').post(`/approvals/${call}`, { decision: 'approve' })).toMatchObject(
      createNewerProblem(2),
    );
    expect(await visitSession('waiting').say('Well?')).toMatchObject(createNewerProblem(2));
  });

  it('does not change the journal of an open turn, and rarely checks for a newer build', async () => {
    const turn = getTurnId('running');
    const listReturnedLines = () =>
      site.logs().filter((line) => line.includes(`turn ${turn} was not taken over`));
    await pollUntil('the turn is given back', 5_000, async () => listReturnedLines().length > 0);
    await delay(1_000); // leaves time for a change, since a test cannot await its absence
    expect(listReturnedLines()).toEqual([
      JSON.stringify({
        level: 'error',
        event: 'other',
        message: `turn ${turn} was not taken over: NewerEventError: ${createNewerProblem(1).body.detail}`,
      }),
    ]);
  });

  it('stores a message and reports it as accepted, in a response and in a stream', async () => {
    const sent = await send('ended');
    expect(sent).toMatchObject({ status: 202, body: { session: 'ended', status: 'accepted' } });
    expect(sent.location).toContain('/agents/clerk/sessions/ended');
    // The sender repeats the request with the same key, and waits until a build continues the turn.
    waiting = send('ended').catch(() => 'lost');
    const { body } = await send('typed', { accept: 'text/event-stream' });
    expect(body).toMatch(
      /^(?::|retry: \d+)\n\nevent: accepted\ndata: {"turn":"\w+","session":"typed","agent":"clerk","status":"accepted"}\n\n$/,
    );
    expect(site.world.asked('clerk')).toHaveLength(4);
  });
});

describe('a restored newer build', () => {
  beforeAll(async () => {
    await site.kill();
    after = readStoredSessions(site.storage);
    await site.deploy(laterBuild);
  });

  it('finds the session unchanged except for the accepted messages', () => {
    const listAdded = ([name, { events }]: [string, StoredSession]): unknown => [
      JSON.parse(name)[2],
      events.slice(before.get(name)?.events.length).map(({ type }) => type),
    ];
    expect(Object.fromEntries([...after].map(listAdded) as [])).toEqual({
      typed: ['turn-started'],
      ended: ['turn-started'],
      waiting: [],
      running: [],
    });
    for (const [name, { events }] of before)
      expect(after.get(name)?.events.slice(0, events.length)).toEqual(events);
  });

  it('resumes the open turn at once when a client asks for it', async () => {
    for (const session of ['running', 'ended', 'typed'])
      expect(await visitSession(session).say('Well?')).toMatchObject({ status: 409 });
    const events = await visitSession('running').ended();
    expect(events.at(-1)).toMatchObject({ type: 'turn-ended', outcome: 'completed' });
    expect(new Set(site.world.done('clerk').map(({ key }) => key)).size).toBe(1);
  });

  it('answers each accepted message once', async () => {
    expect(await waiting).toBe('lost'); // the request was lost when its build ended
    expect(await send('ended')).toMatchObject({ status: 200, body: { text: 'Two.', outcome: 'completed' } });
    const events = await visitSession('typed').ended(before.get(toStoredName('typed'))?.events.length);
    expect(events.filter(({ type }) => type === 'turn-started')).toHaveLength(2);
  });

  it('accepts the pending decision', async () => {
    const [pending] = await visitSession('waiting').pending();
    const heard = await visitSession('waiting').post(`/approvals/${pending?.call}`, { decision: 'approve' });
    expect(heard).toMatchObject({ status: 200, body: { text: 'Sent.', outcome: 'completed' } });
    expect(site.world.done('clerk').filter(({ tool }) => tool === 'send_order')).toHaveLength(1);
  });
});

/** Sends the same message each time, with the same key. */
const send = (session: string, headers = {}): Promise<VisitResponse> =>
  visitSession(session).post(
    '/messages',
    { message: 'Go on.' },
    { headers: { 'idempotency-key': 'k1', ...headers } },
  );

/** Returns the first event of a type that was stored before the older build started. */
function findFirst(session: string, type: string) {
  const event = before.get(toStoredName(session))?.events.find((one) => one.type === type);
  return JSON.parse(event?.body ?? '{}');
}
const getTurnId = (session: string): string => findFirst(session, 'turn-started').turn;
