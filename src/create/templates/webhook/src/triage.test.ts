import { createTestSession } from 'holdfast/testing';
import { type CrashKit, crashMatrix } from 'holdfast/testing/crash-matrix';
import { expect, it } from 'vitest';
import type { GitHub } from './github.ts';
import { defineTriage } from './triage.ts';

const context = { issue: { repository: 'acme/shop', number: 42 } };
const send = 'The page is empty.';
const replies = [
  { calls: [{ name: 'add_label', input: { label: 'bug' } }] },
  { calls: [{ name: 'write_comment', input: { text: 'Thank you for telling us.' } }] },
  'It is a bug.',
];

/** A fake GitHub that survives every crash, and retains all writes. */
const onPaper = ({ effect, happened }: Pick<CrashKit, 'effect' | 'happened'>): GitHub => ({
  async addLabel({ repository, number }, label, call) {
    await effect(`${label} on ${repository}#${number}`, call.idempotencyKey);
    return 'Added.';
  },
  async comment({ repository, number }, text, call) {
    await effect(`"${text}" on ${repository}#${number}`, call.idempotencyKey);
    return 'https://github.example/c1';
  },
  async findComment({ repository, number }, call) {
    const wasWritten = happened(
      `"Thank you for telling us." on ${repository}#${number}`,
      call.idempotencyKey,
    );
    return wasWritten ? { done: 'https://github.example/c1' } : 'not-done';
  },
});

it('labels and answers the issue that the webhook is about', async () => {
  const done: string[] = [];
  const performEffect = async (what: string) => done.push(what) > 0;
  const session = createTestSession(defineTriage(onPaper({ effect: performEffect, happened: () => false })), {
    replies,
    context,
  });
  expect(await session.send(send)).toMatchObject({ outcome: 'completed', toolCalls: 2 });
  expect(done).toEqual(['bug on acme/shop#42', '"Thank you for telling us." on acme/shop#42']);
});

it('writes a comment exactly once, wherever the Worker crashes', async () => {
  const report = await crashMatrix(
    (kit) => defineTriage(onPaper(kit)),
    { steps: [{ send, replies }] },
    { context },
  );
  console.log(report.toTable());
  expect(report).toMatchObject({ passed: true, messagesLost: 0, effectsDoubled: 0, effectsUnknown: 0 });
}, 60_000);
