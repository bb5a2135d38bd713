/** The requests and time that a server tool's call needs from its invocation. */
import { expect, it } from 'vitest';
import { type Effect, type ToolResult, text } from '../../../../../src/index.ts';
import type { ToolEffect } from '../../../../../src/kinds/entry.ts';
import type { McpClientConfig } from '../../../../../src/mcp/tools/entry.ts';
import { createManualClock } from '../../../../../src/testing/entry.ts';
import { createMcpTool } from '../../../../doors/mcp.ts';
import { DEFAULT_PLATFORM, InvocationBudgetWatch, Meter } from '../../../../doors/session.ts';
import { fakeInvocation } from '../../tools/fake-invocation.ts';
import { client, listed } from './listing-fixtures.ts';

/** The part of a call that acts, of a tool with this effect. */
async function leafOf(effect: Effect, config: Partial<McpClientConfig> = {}): Promise<ToolEffect> {
  const leaves: ToolEffect[] = [];
  const tool = createMcpTool({
    client: client({ effects: { read: effect }, ...config }),
    listed: listed(),
    name: 'read',
    address: 'https://mcp.example/',
  });
  // All that it asks of an invocation before it acts.
  const { call } = fakeInvocation('read');
  const execute = async (leaf: ToolEffect): Promise<ToolResult> => {
    leaves.push(leaf);
    return text('');
  };
  await tool.call({}, { ...call, execute });
  const [leaf] = leaves;
  if (!leaf) throw new Error('nothing was to be run');
  return leaf;
}

it.each<[string, Effect, Partial<McpClientConfig>, number]>([
  ['a read has that of its server', 'read', {}, 40_000],
  ['a once call has room for ten questions', 'once', {}, 640_000],
  ['but for 15 minutes at the most', 'once', { elicitation: { expires: 120_000 } }, 940_000],
  ['unless one question may take longer', 'once', { elicitation: { expires: 1_000_000 } }, 1_040_000],
  ['and for none where nobody is asked', 'once', { elicitation: 'refuse' }, 40_000],
])('the timeout of a call: %s', async (_, effect, config, ms) => {
  expect((await leafOf(effect, config)).timeout).toBe(ms);
});

it('a call with the longest timeout is started by an invocation that has already made progress', async () => {
  const { timeout: ms, subrequests = 1 } = await leafOf('once', { elicitation: { expires: 900_000 } });
  const clock = createManualClock(0);
  const meter = new Meter(DEFAULT_PLATFORM, clock.now);
  const watch = new InvocationBudgetWatch({ clock, meter, hasProgressed: () => true });
  watch.claim({ subrequests: 1, ms: 0 });
  await clock.advance(6 * 60_000);
  watch.claim({ subrequests, ms });
  expect(watch.signal.aborted).toBe(false);
  watch.close();
});
