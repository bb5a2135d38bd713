import type { RequestedCall, ToolDefinition } from '../chat-model.ts';
import { isJsonObjectText } from '../untrusted-reply.ts';

/** A tool as chat completions offer it. */
export const toWireTool = ({ name, description, inputSchema }: ToolDefinition) => ({
  type: 'function',
  function: { name, description, parameters: inputSchema },
});

/** An earlier call as chat completions repeat it. */
export const toWireCall = ({ id, name, input }: RequestedCall) => ({
  id,
  type: 'function',
  // Several servers parse the arguments of earlier calls and answer 400 to what the model itself got wrong.
  function: { name, arguments: isJsonObjectText(input) ? input : '{}' },
});
