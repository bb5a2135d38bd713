/** Two deployments that alternate in one session, only one of which has a custom module. */
import { expect, it } from 'vitest';
import { type CallContext, defineAgent, defineTool } from '../../../../src/index.ts';
import { defineModule } from '../../../../src/module.ts';
import { createMemorySessions, type ScriptedReply, scriptedModel } from '../../../../src/testing/entry.ts';
import { collectAppModules } from '../../../doors/agent.ts';
import { systemClock, toSessionName } from '../../../doors/session.ts';
import { createKillableWorker, createSkippableClock, createTurnSteps } from '../../../doors/testing.ts';

const LEASE_MS = 20_000;
const TURN_COUNT = 60;

const endedModule = defineModule({
  name: 'ended',
  state: { initial: 0, when: 'call', apply: (count: number, by: number) => count + by },
});
const countingUse = endedModule.use({
  async prepare(loop) {
    endedModule.remember(loop, 100);
    await loop.durable();
  },
  call(call, next) {
    endedModule.remember(call, 1, { on: 'end' });
    return next();
  },
});

it('two deployments with different modules fold the same state despite kills and the snapshots of both', async () => {
  let isKillDue = false;
  const seen: number[] = [];
  const act = defineTool({
    name: 'act',
    description: 'Acts.',
    effect: 'idempotent',
    async run(_, call: CallContext) {
      if (!isKillDue) return 'done';
      isKillDue = false;
      deployed += 1; // The resuming deployment has the other version.
      worker.kill();
      return new Promise<never>((_, reject) =>
        call.signal.addEventListener('abort', () => reject(call.signal.reason)),
      );
    },
  });
  const acts: ScriptedReply = { calls: [{ name: 'act', input: {} }] };
  const agent = defineAgent({ name: 'clerk', description: 'Works.', instructions: '', tools: [act] });
  const [withIt, without] = [
    collectAppModules({ use: [countingUse], agents: [agent] }),
    collectAppModules({ agents: [agent] }),
  ];
  expect(withIt.reducer).not.toBe(without.reducer);
  let deployed = 0;
  const clock = createSkippableClock(systemClock);
  const sessions = createMemorySessions({ clock, leaseMs: LEASE_MS, dispatch: () => {} });
  const port = sessions.session(toSessionName({ owner: { id: 'ann' }, agent: 'clerk', session: 's1' }));
  const replies = Array.from({ length: 4 * TURN_COUNT }, (_, at) => (at % 2 === 0 ? acts : 'Done.'));
  const host = { port, agent, model: scriptedModel(replies), clock, log: () => {} };
  const steps = createTurnSteps(host, () => (deployed % 2 === 0 ? withIt : without));
  const cold = createTurnSteps(host, () => withIt);
  const worker = createKillableWorker(steps, (more) => clock.skip(2 * LEASE_MS + more));
  const snapshots = new Set<number>();
  for (let turn = 0; turn < TURN_COUNT; turn += 1) {
    isKillDue = turn % 3 === 2;
    const leased = await steps.begin({ message: `Act ${turn}.` });
    if (leased.status !== 'leased') throw new Error(`The lease was refused: ${leased.status}.`);
    if (leased.snapshot) snapshots.add(leased.snapshot.reducer);
    await worker.drive(leased.page.openTurn?.id ?? '', leased);
    const { memories, messages } = await cold.state();
    seen.push(Number(memories.get('app:ended')));
    expect(messages).toHaveLength(3 * (turn + 1));
    // Each version runs two turns, so the other version then starts from its snapshot.
    deployed += turn % 2;
  }
  expect(snapshots).toEqual(new Set([withIt.reducer, without.reducer]));
  expect(seen.at(-1)).toBeGreaterThan(100 * TURN_COUNT * 0.5);
  expect(seen).toEqual(seen.toSorted((a, b) => a - b));
  // A fold from a version's own snapshot equals a fold of the whole journal.
  deployed += deployed % 2;
  const warm = await steps.begin({ message: 'Look.' });
  if (warm.status !== 'leased') throw new Error(`The lease was refused: ${warm.status}.`);
  const { memories } = await cold.state();
  expect(memories.get('app:ended')).toBe(seen.at(-1));
}, 60_000);
