import type { ModelMessage, ModelRequest, RequestedCall, ToolDefinition } from '../chat-model.ts';
import { isJsonObjectText } from '../untrusted-reply.ts';

/** Remembers the text made of each object for as long as the object lives. Definitions are never mutated. */
const remembered = <Key extends object>(make: (key: Key) => string): ((key: Key) => string) => {
  const texts = new WeakMap<Key, string>();
  return (key) => {
    const known = texts.get(key);
    if (known !== undefined) return known;
    const text = make(key);
    texts.set(key, text);
    return text;
  };
};

// The adapter may be made anew for each request, so these outlive it: a thousand tools are converted once.
const toolJson = remembered(({ name, description, inputSchema }: ToolDefinition) =>
  JSON.stringify({ type: 'function', function: { name, description, parameters: inputSchema } }),
);
const toolsJson = remembered((tools: readonly ToolDefinition[]) => `[${tools.map(toolJson).join(',')}]`);

const toWireCall = ({ id, name, input }: RequestedCall) => ({
  id,
  type: 'function',
  // Several servers parse the arguments of earlier calls and answer 400 to what the model itself got wrong.
  function: { name, arguments: isJsonObjectText(input) ? input : '{}' },
});

const toWireMessage = (message: ModelMessage) => {
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
 * The JSON text of a `POST /chat/completions`. The JSON of tool definitions is reused, by the identity of their array
 * and of each definition.
 */
export const toRequestBody = (model: string, request: ModelRequest, streamed: boolean): string => {
  const body = JSON.stringify({
    model,
    messages: request.messages.map(toWireMessage),
    ...(streamed ? { stream: true, stream_options: { include_usage: true } } : {}),
  });
  return request.tools.length === 0 ? body : `${body.slice(0, -1)},"tools":${toolsJson(request.tools)}}`;
};
