import { defineAgent } from '../agent/define-agent.ts';
import type { JsonObject } from '../tool/json.ts';
import type { AnyTool } from '../tool/tool.ts';
import { createToolResult, type ToolResult } from '../tool/tool-result.ts';
import { createTestSession, type TestSessionOptions } from './test-session.ts';

/** The options of `callTool`. They work as in a test session. */
export type CallToolOptions = Pick<
  TestSessionOptions,
  'context' | 'principal' | 'secrets' | 'use' | 'stubs' | 'env' | 'agents'
>;

/**
 * Calls one tool as a model would, in a new session. The tool's schema, decorators and limits apply, and its
 * return value becomes a result. The input is an object, or text that need not be a JSON object.
 *
 * @throws Error if the call waits for a person, or if a signal or a mistake of the app ends the turn without
 * a result.
 *
 * @example
 * ```ts
 * const result = await callTool(lookUp, { id: '17' }, { principal: { id: 'ann', tenant: 'acme' } });
 * expect(result.content).toBe('Your order has left the house.');
 * ```
 */
export async function callTool(
  tool: AnyTool,
  input: JsonObject | string,
  options: CallToolOptions = {},
): Promise<ToolResult> {
  const agent = defineAgent({ name: 'test', description: 'Calls a tool.', instructions: '', tools: [tool] });
  const replies = [{ calls: [{ name: tool.name, input }] }, 'Done.'];
  const session = createTestSession(agent, { ...options, replies });
  const answer = await session.send('Call the tool.');
  if (answer.outcome === 'suspended') {
    const [asked] = answer.pending;
    const what = asked?.for === 'decision' ? `decides "${asked.message}"` : 'sends its result';
    throw new Error(`The call to '${tool.name}' waits until a person ${what}. Use createTestSession for it.`);
  }
  for (const event of await session.events())
    if (event.type === 'tool-call-ended' && event.frame === undefined) return createToolResult(event.result);
  throw new Error(`The call to '${tool.name}' has no result: ${answer.error?.message ?? answer.outcome}`);
}
