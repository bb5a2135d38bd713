import { describe, expect, it } from 'vitest';
import { defineAgent, defineTool, ToolCallContext, text } from '../../../../src/index.ts';
import { defineModule, type Module } from '../../../../src/module.ts';
import { summarize } from '../../../../src/modules/compaction/entry.ts';
import { decorate } from '../../../../src/modules/decorators/entry.ts';
import { createManualClock, createMemorySessions, scriptedModel } from '../../../../src/testing/entry.ts';
import { composeModules, createToolKinds } from '../../../doors/kinds.ts';
import { foldAll, runTurn, toReader, toSessionName, toTurnStart } from '../../../doors/session.ts';

const createCounter = (version: number, by: number) =>
  defineModule({
    name: 'counter',
    state: { initial: 0, version, apply: (count: number, more: number) => count + by * more },
  });
const counter = createCounter(1, 1);

const count = decorate(defineTool({ name: 'count', description: 'Counts.', run: () => 'counted' }), {
  async call(_, call) {
    counter.remember(call, 1);
    return text('counted');
  },
});
const read = decorate(defineTool({ name: 'read', description: 'Reads.', run: () => 'read' }), {
  call: async (_, call) => text(`The counter is ${counter.recall(call)}.`),
});

/** One session whose turns run in deployments with different modules. Its compaction stores a snapshot. */
function createSession() {
  const clock = createManualClock(1_000);
  const sessions = createMemorySessions({ clock, leaseMs: 20_000, dispatch: () => {} });
  const port = sessions.session(toSessionName({ owner: { id: 'o' }, agent: 'clerk', session: 's' }));
  const compaction = summarize({ overTokens: 250, keepTurns: 1, summarize: () => 'They counted.' });
  const agent = defineAgent({
    name: 'clerk',
    description: 'Counts.',
    instructions: 'Count.',
    tools: [count, read],
    use: [compaction],
  });
  let ids = 0;
  const createId = (): string => {
    ids += 1;
    return `id${ids}`;
  };
  return {
    /** Runs a turn. Returns whether it started from a snapshot, and the result of its tool. */
    async turn(tool: string, kinds: readonly Module[]) {
      const app = createToolKinds(kinds.map((kind) => kind.use()));
      const message = `${tool} ${'now and then '.repeat(60)}`;
      const start = toTurnStart(
        { agent: 'clerk', message, context: ToolCallContext.EMPTY, from: { id: 'tester' } },
        createId,
      );
      const leased = await port.begin({ nonce: createId(), start, reader: toReader(app) });
      if (leased.status !== 'leased') throw new Error(`The lease was refused: ${leased.status}.`);
      const model = scriptedModel([{ calls: [{ name: tool }] }, 'Done.']);
      await runTurn({ port, agent, model, clock, modules: app }, leased, clock.now());
      return [leased.snapshot !== null, model.requests.at(-1)?.messages.at(-1)?.text];
    },
    folded: async (kinds: readonly Module[]) =>
      (await foldAll(port, createToolKinds(kinds.map((kind) => kind.use())).memories))?.state.memories.get(
        'app:counter',
      ),
  };
}

describe('a module that is removed from an app', () => {
  it('leaves its facts in the journal: they are folded again once it is back', async () => {
    const { turn, folded } = createSession();
    await turn('count', [counter]);
    await turn('count', [counter]);
    await turn('count', [counter]);
    expect(await turn('read', [counter])).toEqual([true, 'The counter is 3.']);
    expect((await turn('nothing', []))[0]).toBe(false);
    await turn('nothing', []);
    await turn('nothing', []);
    // The deployment without the module has stored snapshots.
    expect((await turn('nothing', []))[0]).toBe(true);
    expect(await folded([])).toBeUndefined();
    expect(await turn('read', [counter])).toEqual([false, 'The counter is 3.']);
    expect(await folded([counter])).toBe(3);
  });

  it('folds older facts again if it returns in a higher version', async () => {
    const { turn } = createSession();
    for (let i = 0; i < 3; i += 1) await turn('count', [counter]);
    expect(await turn('read', [createCounter(1, 10)])).toEqual([true, 'The counter is 3.']);
    expect(await turn('read', [createCounter(2, 10)])).toEqual([false, 'The counter is 30.']);
  });
});

describe('the version stamp of snapshots', () => {
  const other = defineModule({ name: 'other', state: { initial: 0, apply: (n: number) => n } });
  const countOfKinds = (...kinds: readonly Module[]): number =>
    toReader(composeModules(kinds.map((kind) => kind.use()))).reducer;

  it('is that of the reducer if no module has state, and otherwise depends only on module names and versions', () => {
    expect(countOfKinds()).toBe(toReader().reducer);
    expect(countOfKinds(counter, other)).toBe(countOfKinds(other, counter));
    expect(countOfKinds(createCounter(1, 5))).toBe(countOfKinds(counter));
    const all = [
      countOfKinds(),
      countOfKinds(counter),
      countOfKinds(other),
      countOfKinds(counter, other),
      countOfKinds(createCounter(2, 1)),
    ];
    expect(new Set(all).size).toBe(all.length);
    expect(all.every(Number.isSafeInteger)).toBe(true);
  });

  it('does not change with a stateless module', () => {
    expect(countOfKinds(defineModule({ name: 'plain' }))).toBe(countOfKinds());
  });
});
