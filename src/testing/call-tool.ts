import { defineAgent } from '../agent/define-agent.ts';
import type { JsonObject } from '../tool/json.ts';
import type { AnyTool } from '../tool/tool.ts';
import { type ToolResult, toolResult } from '../tool/tool-result.ts';
import { createTestSession, type TestSessionOptions } from './test-session.ts';

/** What a call in a test is made with, as a test session takes it. */
export type CallToolOptions = Pick<
  TestSessionOptions,
  'context' | 'principal' | 'secrets' | 'use' | 'stubs' | 'env' | 'agents'
>;

/**
 * Calls one tool as a model would, in a session of its own: its schema, decorators and limits hold, and what it returns is made a
 * result. What the model sends is an object, or the text of one that is none.
 *
 * @throws Error when the call waits for somebody, or the turn ended without a result: a signal, or a mistake of the app.
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
    throw new Error(`The call of '${tool.name}' waits until somebody ${what}. Use createTestSession for it.`);
  }
  for (const event of await session.events())
    if (event.type === 'tool-call-ended' && event.frame === undefined) return toolResult(event.result);
  throw new Error(`The call of '${tool.name}' has no result: ${answer.error?.message ?? answer.outcome}`);
}
