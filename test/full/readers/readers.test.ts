import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { startWorker } from '../process/start-worker.ts';
import { USAGE } from './options.ts';
import { findProblems, readTurn } from './read-session.ts';

it('many readers of one session receive the same events, and those that stay connected receive all text', async () => {
  const worker = await startWorker('test/full/readers/worker/readers-worker.ts');
  onTestFinished(() => worker.stop());
  const options = { readers: 12, cut: 6, replies: 3, words: 40, pace: 15, seed: 7 };
  const turn = await readTurn(worker, 'read', options);
  expect(findProblems(turn)).toEqual([]);
  expect(turn.reads.map(({ events }) => events.length)).toEqual(Array.from({ length: 12 }, () => 13));
  expect(turn.reads.filter(({ cuts }) => cuts > 0)).toHaveLength(6);
  const none = await readTurn(worker, 'unread', { ...options, readers: 0, cut: 0 });
  expect([none.work.heard, none.work.rows]).toEqual([{ messages: 0, characters: 0 }, expect.anything()]);
});

it('npm run readers prints its usage and refuses unknown options', () => {
  const run = (...args: readonly string[]) =>
    spawnSync(process.execPath, [join(import.meta.dirname, 'run-readers.ts'), ...args], { encoding: 'utf8' });
  expect(run('--help')).toMatchObject({ status: 0, stdout: `${USAGE}\n`, stderr: '' });
  expect(run('--readers', 'many')).toMatchObject({
    status: 2,
    stderr: `--readers must be a whole number of at least 1, not 'many'.\n\n${USAGE}\n`,
  });
});
