import * as v from 'valibot';
import { type ChatModel, defineTool } from '../../index.ts';
import type { ModelMessage } from '../../model/entry.ts';
import { createToolCallingManager, defineToolCallingOptions } from '../../modules/tool-calling/entry.ts';

const add = defineTool({
  name: 'add',
  description: 'Add two numbers.',
  input: v.object({ a: v.number(), b: v.number() }),
  effect: 'read',
  run: ({ a, b }) => a + b,
});

const manager = createToolCallingManager();
const options = defineToolCallingOptions({ tools: [add], internalToolExecutionEnabled: false });

/** Runs your own loop: calls the model, and executes the calls of each reply. It stores no data. */
export async function answerQuestion(
  model: ChatModel,
  question: string,
  signal: AbortSignal,
): Promise<string> {
  let messages: readonly ModelMessage[] = [{ role: 'user', text: question }];
  const tools = await manager.resolveToolDefinitions(options);
  for (;;) {
    const reply = await model.ask({ messages, tools }, { signal });
    if (reply.toolCalls.length === 0) return reply.text;
    const { history, returnDirect, generations } = await manager.executeToolCalls(messages, reply, options);
    if (returnDirect) return generations.map(({ text }) => text).join('\n');
    messages = history;
  }
}
