/** Reads data of an older build: a snapshot is ignored, and events are upgraded. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openSite, type Site } from './site.ts';
import { readStoredSessions } from './stored.ts';
import { currentBuild, earlierSnapshots, upgrading } from './versions.ts';
import { listAnswers } from './world.ts';

let site: Site;
const name = JSON.stringify(['local', 'long', 's']);
/** The number of calls. They produce more events than a session can have without a snapshot. */
const CALLS = 110;

beforeAll(async () => {
  site = await openSite('journals.ts');
  const calls = Array.from({ length: CALLS }, () => ['look_up'] as const);
  site.world.plays('long', [calls, 'One.', 'Two.', 'Three.', 'Four.', 'Five.']);
  await site.deploy(earlierSnapshots);
  expect(await site.visit('long').say('Go.')).toMatchObject({ body: { text: 'One.' } });
});
afterAll(() => site.close());

/** Ends the build and returns its snapshot. `isNew` is `true` if the snapshot covers all events. */
async function readSnapshot(): Promise<unknown> {
  await site.kill();
  const { snapshot: left, events } = readStoredSessions(site.storage).get(name) ?? {};
  return { ...left, isNew: left?.seq === events?.at(-1)?.seq };
}

/** Returns the user's texts in the session's last model request, and the number of its tool results. */
function getLastRequest() {
  const request = site.world.asked('long').at(-1);
  const said = request?.messages.flatMap((one) => (one.role === 'user' ? one.text : []));
  return { said, answers: listAnswers(request).length };
}

it('a snapshot of another reducer is ignored, and the journal is folded', async () => {
  expect(await readSnapshot()).toMatchObject({ isNew: true, body: { cells: {} } });
  await site.deploy(currentBuild);
  expect(await site.visit('long').get()).toMatchObject({ status: 200, body: { usage: { outputTokens: 2 } } });
  expect(await site.visit('long').say('Again.')).toMatchObject({ status: 200, body: { text: 'Two.' } });
  expect(getLastRequest()).toEqual({ said: ['Go.', 'Again.'], answers: CALLS });
  expect(await readSnapshot()).toMatchObject({ isNew: true, body: { cells: [] } });
});

it('events of an older version are upgraded, including those before a snapshot', async () => {
  await site.deploy(upgrading);
  expect(await site.visit('long').say('And now?')).toMatchObject({ body: { text: 'Three.' } });
  expect(getLastRequest()).toEqual({ said: ['Go. (of old)', 'Again. (of old)', 'And now?'], answers: CALLS });
  expect(await site.visit('long').get('/events?limit=2')).toMatchObject({
    body: { events: [{ type: 'session-opened' }, { type: 'turn-started', message: 'Go. (of old)' }] },
  });
  expect(await readSnapshot()).toMatchObject({ isNew: true });
  await site.deploy(upgrading);
  expect(await site.visit('long').say('Still?')).toMatchObject({ body: { text: 'Four.' } });
  expect(getLastRequest()).toEqual({
    said: ['Go. (of old)', 'Again. (of old)', 'And now?', 'Still?'],
    answers: CALLS,
  });
});

it('a rolled-back build does not start from a snapshot of events that it cannot read', async () => {
  await site.deploy(currentBuild);
  const heard = await site.visit('long').say('Back again.');
  expect(heard).toMatchObject({ status: 202, body: { status: 'accepted' } });
  expect(await site.visit('long').get()).toMatchObject({ status: 503 });
});
