/**
 * The next build lacks a tool. Unstarted calls of the tool follow the policy for unknown tools, and started
 * calls have an unknown outcome.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openSite, type Site } from './site.ts';
import { formatToolNotFound, formatUnknownOutcome } from './texts.ts';
import { listAnswers } from './world.ts';

let site: Site;
const heldScenes = ['read', 'idempotent', 'once', 'strict'] as const;

beforeAll(async () => {
  site = await openSite('gone-tools.ts');
  const { world } = site;
  await site.deploy({ constants: { BUILD: 'before' } });
  world.plays('asked', [[['first'], ['second']], 'Done.']);
  for (const scene of [...heldScenes, 'approval', 'manual'])
    world.plays(scene, [[['send_order', { order: 1 }]], 'So.']);
  const running = [
    world.hold('asked', 'first'),
    ...heldScenes.map((scene) => world.hold(scene, 'send_order')),
  ];
  for (const scene of ['asked', ...heldScenes]) await site.visit(scene).start('Go.');
  for (const scene of ['approval', 'manual']) await site.visit(scene).say('Go.');
  await Promise.all(running.map(({ reached }) => reached));
  // A read runs before its reply is stored.
  await site.visit('read').happened('tool-call-started');
  await site.deploy({ constants: { BUILD: 'after' } });
  for (const { release } of running) release();
});
afterAll(() => site.close());

it('an unstarted call of a removed tool reports that the tool does not exist', async () => {
  const events = await site.visit('asked').ended();
  expect(events.at(-1)).toMatchObject({ type: 'turn-ended', outcome: 'completed' });
  expect(listAnswers(site.world.asked('asked').at(-1))).toEqual([
    ['first', 'first is done'],
    ['second', formatToolNotFound('second', 'first')],
  ]);
  expect(site.world.done('asked').map(({ tool }) => tool)).toEqual(['first', 'first']);
});

it.each([
  ['read', formatToolNotFound('send_order', 'look_up')],
  ['idempotent', formatUnknownOutcome('send_order')],
  ['once', formatUnknownOutcome('send_order')],
] as const)(
  'a started call of a removed tool with the effect %s is reported according to that effect',
  async (scene, answer) => {
    const events = await site.visit(scene).ended();
    expect(events.at(-1)).toMatchObject({ type: 'turn-ended', outcome: 'completed' });
    expect(listAnswers(site.world.asked(scene).at(-1))).toEqual([['send_order', answer]]);
    expect(site.world.done(scene)).toHaveLength(1);
  },
);

it('a call with an unknown outcome does not end a turn that ends at the first missing tool', async () => {
  const events = await site.visit('strict').ended();
  expect(events.at(-1)).toMatchObject({ type: 'turn-ended', outcome: 'completed' });
  expect(listAnswers(site.world.asked('strict').at(-1))).toEqual([
    ['send_order', formatUnknownOutcome('send_order')],
  ]);
});

it('an approval of a removed tool runs no code, and the model sees that the tool does not exist', async () => {
  const visit = site.visit('approval');
  const [pending] = await visit.pending();
  expect(pending).toMatchObject({ tool: 'send_order', message: 'Send it?' });
  const heard = await visit.post(`/approvals/${pending?.call}`, { decision: 'approve' });
  expect(heard).toMatchObject({ status: 200, body: { outcome: 'completed', text: 'So.' } });
  expect(listAnswers(site.world.asked('approval').at(-1))).toEqual([
    ['send_order', formatToolNotFound('send_order', 'look_up')],
  ]);
  expect(site.world.done('approval')).toEqual([]);
});

it('a result that the caller sends for a removed tool is accepted, because the caller has run it', async () => {
  const visit = site.visit('manual');
  const [pending] = await visit.pending();
  const heard = await visit.post(`/results/${pending?.call}`, { text: 'Sent by hand.' });
  expect(heard).toMatchObject({ status: 200, body: { outcome: 'completed' } });
  expect(listAnswers(site.world.asked('manual').at(-1))).toEqual([['send_order', 'Sent by hand.']]);
});
