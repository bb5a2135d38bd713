/** The requests and the time that a call of a server's tool needs in its invocation. */
import { expect, it } from 'vitest';
import { type Effect, type ToolResult, text } from '../../../../../src/index.ts';
import type { ToolEffect } from '../../../../../src/kinds/entry.ts';
import type { McpClientConfig } from '../../../../../src/mcp/tools/entry.ts';
import { createManualClock } from '../../../../../src/testing/entry.ts';
import { createMcpTool } from '../../../../doors/mcp.ts';
import { DEFAULT_PLATFORM, InvocationBudgetWatch, Meter } from '../../../../doors/session.ts';
import { createFakeInvocation } from '../../tools/fake-invocation.ts';
import { createClient, createListedTool } from './listing-fixtures.ts';

/** The effect that a call of this tool executes. */
async function getLeaf(effect: Effect, config: Partial<McpClientConfig> = {}): Promise<ToolEffect> {
  const leaves: ToolEffect[] = [];
  const tool = createMcpTool({
    client: createClient({ effects: { read: effect }, ...config }),
    listed: createListedTool(),
    name: 'read',
    address: 'https://mcp.example/',
  });
  // The parts of an invocation that are used before the effect.
  const { call } = createFakeInvocation('read');
  const execute = async (leaf: ToolEffect): Promise<ToolResult> => {
    leaves.push(leaf);
    return text('');
  };
  await tool.call({}, { ...call, execute });
  const [leaf] = leaves;
  if (!leaf) throw new Error('The call executed no effect.');
  return leaf;
}

it.each<[string, Effect, Partial<McpClientConfig>, number]>([
  ['the timeout of its server if it is a read', 'read', {}, 40_000],
  ['time for ten questions if it is a `once` call', 'once', {}, 640_000],
  ['at most 15 minutes for questions', 'once', { elicitation: { expires: 120_000 } }, 940_000],
  [
    'more time if a single question may take longer',
    'once',
    { elicitation: { expires: 1_000_000 } },
    1_040_000,
  ],
  ['no time for questions if the client refuses them', 'once', { elicitation: 'refuse' }, 40_000],
])('a call has %s', async (_, effect, config, ms) => {
  expect((await getLeaf(effect, config)).timeout).toBe(ms);
});

it('a call with the longest timeout can start in an invocation that has already made progress', async () => {
  const { timeout: ms, subrequests = 1 } = await getLeaf('once', { elicitation: { expires: 900_000 } });
  const clock = createManualClock(0);
  const meter = new Meter(DEFAULT_PLATFORM, clock.now);
  const watch = new InvocationBudgetWatch({ clock, meter, hasProgressed: () => true });
  watch.claim({ subrequests: 1, ms: 0 });
  await clock.advance(6 * 60_000);
  watch.claim({ subrequests, ms });
  expect(watch.signal.aborted).toBe(false);
  watch.close();
});
