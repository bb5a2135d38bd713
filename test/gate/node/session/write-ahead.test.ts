import { expect, it } from 'vitest';
import { defineTool, type Effect } from '../../../../src/index.ts';
import { createManualClock, type SessionPort } from '../../../../src/testing/entry.ts';
import { advanceUntilSettled } from './former-holder.ts';
import { createMemoryApp } from './memory-app.ts';

/** An app with a log of stores and runs. The acknowledgements of stores wait until they are released. */
function createLab(effects: readonly Effect[], replies: Parameters<typeof createMemoryApp>[0]['replies']) {
  const log: string[] = [];
  const held: (() => void)[] = [];
  let isHeld = true;
  const clock = createManualClock();
  const wrap = (port: SessionPort): SessionPort => ({
    ...port,
    append: async (epoch, from, change) => {
      const answer = await port.append(epoch, from, change);
      if (isHeld) await new Promise<void>((resolve) => held.push(resolve));
      log.push(`stored ${change.events.map(({ type, body }) => formatLabel(type, body)).join(', ')}`);
      return answer;
    },
  });
  const tools = effects.map((effect) =>
    defineTool({
      name: effect,
      description: 'Does.',
      effect,
      run: () => {
        log.push(`ran ${effect}`);
        return 'ok';
      },
    }),
  );
  const app = createMemoryApp({ tools, replies, wrap, clock });
  const release = (): void => {
    isHeld = false;
    for (const go of held.splice(0)) go();
  };
  return { app, log, clock, release };
}

const formatLabel = (type: string, body: string): string => {
  const { call } = JSON.parse(body) as { call?: string };
  return call === undefined ? type : `${type} ${call.split('.')[2]}`;
};
const callTools = (...names: Effect[]) => ({ calls: names.map((name) => ({ name })) });

it('a loop of read tools makes its last model call before any append is acknowledged', async () => {
  const { app, log, clock, release } = createLab(
    ['read'],
    [callTools('read'), callTools('read', 'read'), callTools('read'), 'Done.'],
  );
  const end = app.say('Go.');
  await clock.advance(0);
  expect(app.model.requests).toHaveLength(4);
  expect(log).toEqual(['ran read', 'ran read', 'ran read', 'ran read']);
  release();
  expect(await advanceUntilSettled(clock, end)).toMatchObject({
    status: 'ended',
    turn: { outcome: 'completed' },
  });
});

it.each(['once', 'idempotent'] as const)(
  'the reply and the start of a call are durable before the call runs: %s',
  async (effect) => {
    const { app, log, clock, release } = createLab([effect], [callTools(effect), 'Done.']);
    const end = app.say('Go.');
    await clock.advance(0);
    expect(log).toEqual([]);
    release();
    await advanceUntilSettled(clock, end);
    expect(log.slice(0, 2)).toEqual(['stored model-replied, tool-call-started 0', `ran ${effect}`]);
  },
);

it('the result of every call is durable before a later `once` call runs', async () => {
  const { app, log, clock, release } = createLab(
    ['read', 'once'],
    [callTools('read'), callTools('once'), 'Done.'],
  );
  const end = app.say('Go.');
  await clock.advance(0);
  release();
  await advanceUntilSettled(clock, end);
  const stored = log.slice(0, log.indexOf('ran once')).join('\n');
  expect(stored).toContain('tool-call-ended 0');
  expect(stored.match(/model-replied/g)).toHaveLength(2);
});

it('the calls of a batch are started in one append and ended in one append', async () => {
  const { app, log, clock, release } = createLab(['once'], [callTools('once', 'once', 'once'), 'Done.']);
  const end = app.say('Go.');
  await clock.advance(0);
  release();
  await advanceUntilSettled(clock, end);
  expect(log).toEqual([
    'stored model-replied, tool-call-started 0, tool-call-started 1, tool-call-started 2',
    ...['ran once', 'ran once', 'ran once'],
    'stored tool-call-ended 0, tool-call-ended 1, tool-call-ended 2, model-replied, turn-ended',
  ]);
});

it('the reads of a batch run while its `once` call waits for the journal', async () => {
  const { app, log, clock, release } = createLab(['read', 'once'], [callTools('once', 'read'), 'Done.']);
  const end = app.say('Go.');
  await clock.advance(0);
  expect(log).toEqual(['ran read']);
  release();
  await advanceUntilSettled(clock, end);
});

it('a turn is not answered before its end is durable', async () => {
  const { app, clock, release } = createLab([], ['Done.']);
  let isAnswered = false;
  const end = app.say('Go.').finally(() => {
    isAnswered = true;
  });
  await clock.advance(0);
  expect(isAnswered).toBe(false);
  release();
  expect(await advanceUntilSettled(clock, end)).toMatchObject({ status: 'ended' });
});
