import { ModelError, type ModelMessage, type RequestedCall, type ToolDefinition } from '../chat-model.ts';
import { isJsonObjectText } from '../untrusted-reply.ts';

/** A message as chat completions have it; `null` is the content of a reply that only calls tools. */
export const toWireMessage = (message: ModelMessage) => {
  switch (message.role) {
    case 'system':
    case 'user':
      return { role: message.role, content: message.text };
    case 'assistant':
      return message.toolCalls.length === 0
        ? { role: 'assistant', content: message.text }
        : { role: 'assistant', content: message.text || null, tool_calls: message.toolCalls.map(toWireCall) };
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

/** An earlier call as chat completions repeat it. */
const toWireCall = ({ id, name, input }: RequestedCall) => ({
  id,
  type: 'function',
  // Several servers parse the arguments of earlier calls and answer 400 to what the model itself got wrong.
  function: { name, arguments: isJsonObjectText(input) ? input : '{}' },
});
