import { ModelError, type ModelMessage, type ToolDefinition } from '../chat-model.ts';
import { isJsonObjectText } from '../untrusted-reply.ts';
import { fieldsGivenBack, givenBackWithCalls } from './kept-fields.ts';

/** How a server wants earlier replies. */
export interface WireManner {
  /** It refuses replies with calls that have no `reasoning_content`, also those that came without. */
  readonly fillsReasoning?: boolean | undefined;
}

/**
 * A message as chat completions have it; `null` is the content of a reply that only calls tools. What a reply holds beside
 * words and calls stands in the fields in which it came, also what is empty.
 */
export const toWireMessage = (message: ModelMessage, { fillsReasoning }: WireManner = {}) => {
  switch (message.role) {
    case 'system':
    case 'user':
      return { role: message.role, content: message.text };
    case 'assistant': {
      const given = fieldsGivenBack(message);
      if (message.toolCalls.length === 0) return { role: 'assistant', content: message.text, ...given };
      const content = message.text || null;
      const filled = fillsReasoning ? { reasoning_content: '' } : {};
      return { role: 'assistant', content, ...filled, ...given, tool_calls: toWireCalls(message) };
    }
    case 'tool':
      return { role: 'tool', tool_call_id: message.id, content: message.text };
  }
};

/**
 * A tool as chat completions offer it.
 *
 * @throws ModelError `bad-request` for a tool that only another wire's provider runs.
 */
export const toWireTool = ({ name, description, inputSchema, providerTool }: ToolDefinition) => {
  if (providerTool) {
    const words = `The model cannot be given the tool '${name}': '${providerTool.id}' is run by its own provider.`;
    throw new ModelError('bad-request', words);
  }
  return { type: 'function', function: { name, description, parameters: inputSchema } };
};

/** Earlier calls as chat completions repeat them. */
const toWireCalls = (message: Extract<ModelMessage, { role: 'assistant' }>) => {
  const given = givenBackWithCalls(message);
  return message.toolCalls.map(({ id, name, input }) => ({
    id,
    type: 'function',
    // Several servers parse the arguments of earlier calls and answer 400 to what the model itself got wrong.
    function: { name, arguments: isJsonObjectText(input) ? input : '{}' },
    ...given.get(id),
  }));
};
