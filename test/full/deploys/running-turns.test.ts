/** Replaces a build while turns run, at every step of a turn. No work is lost or done twice. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type End, openSite, type Site } from './site.ts';
import type { VisitResponse } from './visit.ts';
import { type Line, listAnswers } from './world.ts';

let site: Site;
const script: readonly Line[] = [[['look_up']], [['charge'], ['mail']], 'Done.'];
const answers = ['look_up', 'charge', 'mail'].map((tool) => [tool, `${tool} is done`]);
const places = ['model', 'look_up', 'charge', 'mail'] as const;

/** Sends a message with a fixed key, so that a repeat is the same message. */
const ask = (scene: string): Promise<VisitResponse> =>
  site.visit(scene).post('/messages', { message: 'Go.' }, { headers: { 'idempotency-key': 'k1' } });

/** Starts turns at every step, ends their build, and starts the next build. */
async function replaceBuild(end: End): Promise<void> {
  site = await openSite('running.ts', end);
  const { world } = site;
  await site.deploy({ constants: { BUILD: 'before' } });
  for (const scene of [...places.map((place) => `at-${place}`), 'accepted', 'left', 'clerk'])
    world.plays(scene, script);
  world.plays('queued', [...script, 'Two.', 'Three.']);
  world.plays('inside', [[['clerk', { message: 'Do it.' }]], 'So.']);
  const held = [
    ...places.map((place) => world.hold(`at-${place}`, place)),
    world.hold('queued', 'charge'),
    world.hold('inside', 'charge'),
  ];
  const lost = places.map((place) => ask(`at-${place}`).catch(() => 'lost'));
  await Promise.all(['queued', 'inside'].map((scene) => site.visit(scene).start('Go.')));
  await Promise.all(held.map(({ reached }) => reached));
  for (const message of ['And two?', 'And three?'])
    expect(
      await site
        .visit('queued')
        .post('/messages?whenBusy=queue', { message }, { headers: { prefer: 'respond-async' } }),
    ).toMatchObject({
      status: 202,
    });
  await leave();
  await site.visit('accepted').start('Go.');
  await site.deploy({ constants: { BUILD: 'after' } });
  expect(await Promise.all(lost)).toEqual(places.map(() => 'lost'));
  for (const { release } of held) release();

  /** Closes the connection of a client while its turn runs, so that the turn is handed over. */
  async function leave(): Promise<void> {
    const looking = world.hold('left', 'look_up');
    const client = new AbortController();
    const gone = site
      .visit('left')
      .post('/messages', { message: 'Go.' }, { leave: client.signal })
      .catch(() => 'gone');
    await looking.reached;
    client.abort();
    await gone;
    looking.release();
  }
}

describe.each(['stopped', 'killed'] as const)('a turn whose build is %s', (end) => {
  beforeAll(() => replaceBuild(end));
  afterAll(() => site.close());

  it.each(places)(
    'is completed by the next build if it was waiting for %s and its client retries',
    async (place) => {
      const scene = `at-${place}`;
      expect(await ask(scene)).toMatchObject({ status: 200, body: { text: 'Done.', outcome: 'completed' } });
      const events = await site.visit(scene).ended();
      expect(events.filter(({ type }) => type === 'turn-started')).toHaveLength(1);
      expectDone(scene);
    },
  );

  it('resumes inside its nested loop', async () => {
    const events = await site.visit('inside').ended();
    expect(events.at(-1)).toMatchObject({ type: 'turn-ended', outcome: 'completed' });
    expect(events.filter(({ type }) => type === 'frame-started')).toHaveLength(1);
    expectDone('inside', 'clerk');
  });

  it.each([
    ['it runs in the background', 'accepted'],
    ['its client has disconnected', 'left'],
  ] as const)('is resumed by the next build if %s', async (_, scene) => {
    const events = await site.visit(scene).ended();
    expect(events.at(-1)).toMatchObject({ type: 'turn-ended', outcome: 'completed' });
    expectDone(scene);
  });

  it('is followed by its queued messages in order', async () => {
    await site.visit('queued').ended(await waitForTurns(2));
    const asked = site.world.asked('queued').at(-1)?.messages ?? [];
    expect(asked.flatMap((one) => (one.role === 'user' ? one.text : []))).toEqual([
      'Go.',
      'And two?',
      'And three?',
    ]);
    expectDone('queued');

    /** Returns the sequence number at which this many turns have ended. */
    async function waitForTurns(turns: number): Promise<number> {
      let last = 0;
      for (let ended = 0; ended < turns; ended += 1) {
        const events = await site.visit('queued').ended(last);
        last = events.find(({ type, seq }) => type === 'turn-ended' && seq > last)?.seq ?? last;
      }
      return last;
    }
  });
});

/**
 * Asserts that the charge happened once, that the mail has one key, and that the model of the next build
 * received both results.
 */
function expectDone(scene: string, model = scene): void {
  const { world } = site;
  const request = world.asked(model).at(-1);
  expect(listAnswers(request).slice(0, answers.length)).toEqual(answers);
  expect(request?.messages[0]).toEqual({ role: 'system', text: 'Work, says the build after.' });
  const listDone = (what: string) => world.done(scene).filter(({ tool }) => tool === what);
  expect(listDone('charge')).toHaveLength(1);
  expect(new Set(listDone('mail').map(({ key }) => key)).size).toBe(1);
}
