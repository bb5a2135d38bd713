/**
 * `npm run approvals-under-fire`kills `wrangler dev` by SIGKILL and restarts it while refunds wait for their
 * approval. A separate process counts the refunds. A table compares actual and expected refunds, and the exit
 * code reports success.
 */
import { join } from 'node:path';
import { type ApprovalCase, approvalCases } from './approval-cases.ts';
import { openSession } from './client.ts';
import { countEffects } from './counted-effects.ts';
import { findFreePort } from './ports.ts';
import { Stage } from './stage.ts';
import { createTemporaryDirectory } from './temporary-directory.ts';
import { applyStyle } from './timeline.ts';

const directory = createTemporaryDirectory('holdfast-approvals-');

const OFFLINE_VARS = { MODEL: 'offline' };
const began = performance.now();

async function runApprovals(): Promise<boolean> {
  const effects = await countEffects(join(directory, 'effects.jsonl'));
  const stage = new Stage({ effects, port: await findFreePort(), directory });
  await stage.start(OFFLINE_VARS);
  console.log(
    applyStyle('bold', formatRow('decided after a SIGKILL', 'turn ended', 'refunds expected', 'seen', '')),
  );
  let passed = true;
  for (const one of approvalCases) passed = (await playSafely(stage, one)) && passed;
  await stage.end('stop');
  const executions = effects.executions();
  const doubled = executions.length - new Set(executions.map(({ key }) => key)).size;
  const expected = approvalCases.reduce((sum, one) => sum + one.effects.length, 0);
  const kills = approvalCases.reduce((sum, one) => sum + one.kills, 0);
  passed = passed && doubled === 0 && executions.length === expected;
  const line =
    `approvals-under-fire: ${kills} kills; refunds expected ${expected}, seen ${executions.length}; doubled ${doubled}; ` +
    `${((performance.now() - began) / 1000).toFixed(1)} s; ${passed ? 'PASS' : 'FAIL'}`;
  console.log(`\n${applyStyle(passed ? 'green' : 'red', line)}`);
  return passed;
}

/**
 * Runs one case and prints its row. An error fails only this case, and the next case starts with a fresh
 * Worker.
 */
async function playSafely(stage: Stage, one: ApprovalCase): Promise<boolean> {
  let turn = '';
  let outcome: string;
  try {
    ({ turn, outcome } = await play(stage, one));
  } catch (error) {
    console.error(error, `\n${stage.log}`);
    outcome = 'failed';
    await stage.end('kill');
    await stage.start(OFFLINE_VARS);
  }
  const executions = stage.effects
    .executions()
    .filter(({ call }) => turn !== '' && call.startsWith(`${turn}.`));
  const [expected, seen] = [
    one.effects.map((effect) => JSON.stringify(effect)),
    executions.map(({ what }) => what),
  ];
  const right = outcome === one.outcome && expected.join() === seen.join();
  const [wanted, found] = [expected, seen].map((list) => list.join(' ') || 'none');
  console.log(
    formatRow(
      one.title,
      outcome,
      `${wanted}`,
      `${found}`,
      applyStyle(right ? 'green' : 'red', right ? 'ok' : 'WRONG'),
    ),
  );
  return right;
}

/**
 * Plays one case.
 *
 * @throws Error if the refund does not wait, happens before its decision, or cannot be decided.
 */
async function play(
  stage: Stage,
  { session, vars, decide }: ApprovalCase,
): Promise<{ turn: string; outcome: string }> {
  if (vars) {
    await stage.end('stop');
    await stage.start({ ...OFFLINE_VARS, ...vars });
  }
  const before = stage.effects.executions().length;
  const { turn, pending = [] } = await openSession(stage.url, session, 'refunds').send(
    'Please refund order 1002',
  );
  const [asked] = pending;
  if (!asked) throw new Error('The refund is not waiting for its approval.');
  await stage.end('kill');
  await stage.start(OFFLINE_VARS);
  if (stage.effects.executions().length > before)
    throw new Error('The order was refunded before a decision.');
  return { turn, outcome: await decide(stage, session, asked) };
}

function formatRow(...cells: readonly string[]): string {
  const widths = [36, 12, 34, 34, 0];
  return cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('');
}

const hasPassed = await runApprovals().catch((error: unknown) => {
  console.error(error);
  return false;
});
process.exit(hasPassed ? 0 : 1);
