/** A tool changes in the next build, while its calls wait for a decision or have started. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pollUntil } from '../../../src/examples/demo/ports.ts';
import { openSite, type Site } from './site.ts';
import { formatUnknownOutcome } from './texts.ts';
import type { VisitResponse } from './visit.ts';
import { type Line, listAnswers } from './world.ts';

let site: Site;
const refund: Line = [['refund', { amount: 5 }]];
const waitingScenes = ['schema', 'message', 'role', 'described', 'nested', 'sent'] as const;
const startedScenes = [
  'once-to-read',
  'once-to-idempotent',
  'once-to-reconciled',
  'idempotent-to-once',
  'idempotent-to-reconciled',
  'idempotent-to-read',
  'read-to-once',
  'read-to-idempotent',
] as const;

beforeAll(async () => {
  site = await openSite('changed-calls.ts');
  const { world } = site;
  await site.deploy({ constants: { BUILD: 'before' } });
  for (const scene of waitingScenes) world.plays(scene, [refund, refund, 'So.']);
  world.plays('described', [refund, 'So.']);
  world.plays('sent', [refund, 'So.']);
  world.plays('nested', [[['clerk', { message: 'Refund 5.' }]], 'So.']);
  world.plays('nested-clerk', [refund, refund, 'Refunded.']);
  for (const scene of startedScenes) world.plays(scene, [[['charge']], 'So.']);
  for (const scene of waitingScenes) await site.visit(scene).say('Go.');
  const held = startedScenes.map((scene) => world.hold(scene, 'charge'));
  for (const scene of startedScenes) await site.visit(scene).start('Go.');
  await Promise.all(held.map(({ reached }) => reached));
  // A read runs before its reply is stored.
  for (const scene of startedScenes) await site.visit(scene).happened('tool-call-started');
  await site.deploy({ constants: { BUILD: 'after' } });
  for (const { release } of held) release();
});
afterAll(() => site.close());

/** Approves the pending call of a session. */
async function approve(scene: string): Promise<VisitResponse> {
  const [pending] = await site.visit(scene).pending();
  return site.visit(scene).post(`/approvals/${pending?.call}`, { decision: 'approve' });
}

/** Returns the results of the model's first calls. */
const listLastAnswers = (scene: string) => listAnswers(site.world.asked(scene).at(-1));
const countEffects = (scene: string): number => site.world.done(scene).length;

describe('a waiting approval', () => {
  const changed =
    "Error: Tool 'refund' has changed since this was asked, so the decision no longer applies. Call it again to ask again.";

  it('is void if the schema of the tool has changed, and the reviewer is asked again', async () => {
    expect(await approve('schema')).toMatchObject({
      status: 409,
      body: {
        type: 'urn:holdfast:problem:approval-void',
        detail:
          "Tool 'refund' has changed since this was asked, so this answer no longer applies. The model sees this and can ask again.",
      },
    });
    // The turn then resumes in the background.
    await pollUntil('the model asks again', 5_000, async () => site.world.asked('schema').length > 1);
    expect(listLastAnswers('schema')).toEqual([['refund', changed]]);
    expect(countEffects('schema')).toBe(0);
    expect(await approve('schema')).toMatchObject({
      status: 200,
      body: { outcome: 'completed', text: 'So.' },
    });
    expect(countEffects('schema')).toBe(1);
  });

  it('is void if it asks another question about the same call', async () => {
    expect(await approve('message')).toMatchObject({
      status: 202,
      body: { outcome: 'suspended', pending: [{ message: 'Refund it in dollars?' }] },
    });
    expect(listLastAnswers('message')).toEqual([['refund', changed]]);
    expect(countEffects('message')).toBe(0);
    expect(await approve('message')).toMatchObject({ status: 200, body: { outcome: 'completed' } });
    expect(countEffects('message')).toBe(1);
  });

  it('is void if the role of its reviewers has changed, and the former reviewers can no longer decide', async () => {
    expect(await approve('role')).toMatchObject({ status: 202, body: { outcome: 'suspended' } });
    expect(listLastAnswers('role')).toEqual([['refund', changed]]);
    expect(await approve('role')).toMatchObject({
      status: 403,
      body: { type: 'urn:holdfast:problem:role-required' },
    });
    expect(countEffects('role')).toBe(0);
  });

  it('is void in a nested loop too', async () => {
    expect(await approve('nested')).toMatchObject({ status: 202, body: { outcome: 'suspended' } });
    expect(listLastAnswers('nested-clerk')).toEqual([['refund', changed]]);
    expect(await approve('nested')).toMatchObject({ status: 200, body: { outcome: 'completed' } });
    expect(countEffects('nested')).toBe(1);
  });

  it('stays valid if only the description has changed', async () => {
    expect(await approve('described')).toMatchObject({ status: 200, body: { outcome: 'completed' } });
    expect(listLastAnswers('described')).toEqual([['refund', 'refund is done']]);
    expect(countEffects('described')).toBe(1);
  });

  it('is not requested again for a tool that the caller has already run', async () => {
    const [pending] = await site.visit('sent').pending();
    const heard = await site.visit('sent').post(`/results/${pending?.call}`, { text: 'Refunded by hand.' });
    expect(heard).toMatchObject({ status: 200, body: { outcome: 'completed' } });
    expect(listLastAnswers('sent')).toEqual([['refund', 'Refunded by hand.']]);
  });
});

describe('a started call whose tool has another effect in the next build', () => {
  it.each([
    ['once-to-read', formatUnknownOutcome('charge'), 1],
    ['once-to-idempotent', formatUnknownOutcome('charge'), 1],
    ['once-to-reconciled', 'charged before', 1],
    // The build that started a call decides whether it may be repeated, not the build that resumes it.
    ['idempotent-to-once', formatUnknownOutcome('charge'), 1],
    ['idempotent-to-reconciled', 'charged before', 1],
    ['idempotent-to-read', 'charge is done', 2],
    ['read-to-once', 'charge is done', 2],
    ['read-to-idempotent', 'charge is done', 2],
  ] as const)('is repeated only if the effect at its start allows that: %s', async (scene, answer, times) => {
    const events = await site.visit(scene).ended();
    expect(events.at(-1)).toMatchObject({ type: 'turn-ended', outcome: 'completed' });
    expect(listLastAnswers(scene)).toEqual([['charge', answer]]);
    expect(countEffects(scene)).toBe(times);
    expect(new Set(site.world.done(scene).map(({ key }) => key)).size).toBe(1);
    const [from, , to] = scene.split('-');
    const starts = events.flatMap((event) => (event.type === 'tool-call-started' ? [event.effect] : []));
    expect(starts).toEqual(from === 'read' ? [from, to] : [from]);
  });
});
