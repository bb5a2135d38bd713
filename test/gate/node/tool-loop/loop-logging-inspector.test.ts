import { afterEach, expect, it, vi } from 'vitest';
import { defineAgent } from '../../../../src/index.ts';
import {
  inspect,
  type LogLine,
  type LoopLoggingOptions,
  loopLoggingInspector,
} from '../../../../src/modules/inspect/entry.ts';
import { createManualClock, createTestSession } from '../../../../src/testing/entry.ts';
import { callTools, createDiggingTool, createReadingTool } from './scenes.ts';

afterEach(() => vi.restoreAllMocks());

function startSession(options?: LoopLoggingOptions) {
  const agent = defineAgent({
    name: 'clerk',
    description: 'W.',
    instructions: 'Secretly.',
    tools: [createDiggingTool([createReadingTool('look', () => 'a secret')])],
    use: [inspect(loopLoggingInspector(options))],
  });
  const replies = [callTools('dig'), callTools('look'), 'My secret.', 'Done.'];
  return createTestSession(agent, { replies, clock: createManualClock() });
}

it('the logging inspector logs sizes and durations of all loops, but no message texts (CBK-09)', async () => {
  const lines: LogLine[] = [];
  await startSession({ log: (line) => lines.push(line) }).send('The secret?');
  expect(new Set(lines.map(({ level }) => level))).toEqual(new Set(['debug']));
  expect(lines.map(({ logger, message }) => `${logger} ${message}`)).toEqual([
    'holdfast.loop.clerk 1: asks with 2 messages of 20 characters and 1 tools',
    'holdfast.loop.clerk 1: receives 0 characters and 1 calls in 0 ms',
    'holdfast.loop.clerk.dig 1: asks with 2 messages of 12 characters and 1 tools',
    'holdfast.loop.clerk.dig 1: receives 0 characters and 1 calls in 0 ms',
    'holdfast.loop.clerk.dig 1: has a result of 8 characters for 2 in 0 ms',
    'holdfast.loop.clerk.dig 1: ends with 1 calls',
    'holdfast.loop.clerk.dig 2: asks with 4 messages of 20 characters and 1 tools',
    'holdfast.loop.clerk.dig 2: receives 10 characters and 0 calls in 0 ms',
    'holdfast.loop.clerk.dig 2: ends with 0 calls',
    'holdfast.loop.clerk 1: has a result of 21 characters for 2 in 0 ms',
    'holdfast.loop.clerk 1: ends with 1 calls',
    'holdfast.loop.clerk 2: asks with 4 messages of 41 characters and 1 tools',
    'holdfast.loop.clerk 2: receives 5 characters and 0 calls in 0 ms',
    'holdfast.loop.clerk 2: ends with 0 calls',
  ]);
});

it('the logging inspector logs how many tools were added and removed, and the cause', async () => {
  const lines: string[] = [];
  const { toolsChanged } = loopLoggingInspector({ log: ({ message }) => lines.push(message) });
  const place = {
    session: 's',
    turn: 't',
    frame: '',
    path: 'clerk',
    iteration: 2,
    principal: { id: 'tester' },
  };
  await toolsChanged?.({
    ...place,
    cause: 'deploy',
    came: ['secret', 'other'],
    went: ['secret'],
    metadata: () => ({}),
    broughtBy: () => undefined,
  });
  expect(lines).toEqual(['2: has other tools: 2 added and 1 removed by the deploy']);
});

it.each(['info', 'debug', 'trace'] as const)(
  'the logging inspector logs loops at a single level: %s (CBK-09)',
  async (level) => {
    const levels = new Set<string>();
    await startSession({ level, log: (line) => levels.add(line.level) }).send('Go.');
    expect([...levels]).toEqual([level]);
  },
);

it('the logging inspector logs to the console by default', async () => {
  const debug = vi.spyOn(console, 'debug').mockImplementation(() => {});
  await startSession().send('Go.');
  expect(debug).toHaveBeenCalledWith('holdfast.loop.clerk: 2: ends with 0 calls (session test, turn id2)');
});
