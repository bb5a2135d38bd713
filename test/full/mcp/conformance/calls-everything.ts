import type { ChatModel, Json, JsonObject, ToolDefinition } from '../../../../src/index.ts';
import { isJsonObject } from '../../../doors/tools.ts';

/** A model that calls every tool once that it is offered, with input that fits, and then says that it is done. */
export const callsEverything: ChatModel = {
  name: 'calls-everything',
  async ask({ messages, tools }) {
    const toolCalls = messages.at(-1)?.role === 'user' ? tools.map(callOf) : [];
    return toolCalls.length > 0
      ? { text: '', toolCalls, finish: 'tool-calls' }
      : { text: 'There is no tool left to call.', toolCalls, finish: 'stop' };
  },
};

const callOf = ({ name, inputSchema }: ToolDefinition, index: number) => ({
  id: `call_${index}`,
  name,
  // A tool's schema is shown as it is sent: JSON.
  input: JSON.stringify(exampleOf(inputSchema as JsonObject)),
});

/** A value for a plain schema, of the kind that the suite's tools have. */
function exampleOf({ type, properties }: JsonObject): Json {
  switch (type) {
    case 'object':
      return Object.fromEntries(
        Object.entries(isJsonObject(properties) ? properties : {}).flatMap(([name, schema]) =>
          isJsonObject(schema) ? [[name, exampleOf(schema)]] : [],
        ),
      );
    case 'number':
    case 'integer':
      return 7;
    case 'boolean':
      return true;
    case 'array':
      return [];
    default:
      return 'some text';
  }
}
