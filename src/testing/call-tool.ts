import { defineAgent } from '../agent/define-agent.ts';
import type { JsonObject } from '../tool/json.ts';
import type { AnyTool } from '../tool/tool.ts';
import { type ToolResult, toolResult } from '../tool/tool-result.ts';
import { createTestSession, type TestSessionOptions } from './test-session.ts';

/** Options of `callTool`, as a test session takes them. */
export type CallToolOptions = Pick<
  TestSessionOptions,
  'context' | 'principal' | 'secrets' | 'use' | 'stubs' | 'env' | 'agents'
>;

/**
 * Calls one tool as a model would, in a session of its own. The tool's schema, decorators and limits apply,
 * and its return value becomes a result. The input is an object, or text that need not be a JSON object.
 *
 * @throws Error if the call waits for a person, or the turn ended without a result, because of a signal or a
 * mistake of the app.
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
    const what = asked?.for === 'decision' ? `decides: ${asked.message}` : 'sends its result';
    throw new Error(`The call of '${tool.name}' waits until a person ${what}. Use createTestSession for it.`);
  }
  for (const event of await session.events())
    if (event.type === 'tool-call-ended' && event.frame === undefined) return toolResult(event.result);
  throw new Error(`The call of '${tool.name}' has no result: ${answer.error?.message ?? answer.outcome}`);
}
