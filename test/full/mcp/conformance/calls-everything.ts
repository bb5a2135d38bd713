import type { ChatModel, Json, JsonObject } from '../../../../src/index.ts';
import type { ToolDefinition } from '../../../../src/model/entry.ts';
import { isJsonObject } from '../../../doors/tools.ts';

/**
 * A model that calls each offered tool once and then ends. It reads the inputs from the message, or generates
 * them from the schema.
 */
export const callsEverything: ChatModel = {
  name: 'calls-everything',
  async ask({ messages, tools }) {
    const last = messages.at(-1);
    const wanted = last?.role === 'user' ? parseWantedCalls(last.text) : new Map();
    const schema = tools.find(({ name }) => name === 'json_schema_2020_12_tool')?.inputSchema;
    if (schema) wanted.set(ECHO, { schema: schema as JsonObject }); // schemas arrive as JSON
    const toolCalls =
      last?.role === 'user' ? tools.map((tool, index) => createCall(tool, index, wanted)) : [];
    return toolCalls.length > 0
      ? { text: '', toolCalls, finish: 'tool-calls' }
      : { text: 'There is no tool left to call.', toolCalls, finish: 'stop' };
  },
};

type WantedCall = Map<string, JsonObject>;

/** A tool whose input is the schema of another tool, as the client received it. */
const ECHO = 'json_schema_echo';

const createCall = ({ name, inputSchema }: ToolDefinition, index: number, wanted: WantedCall) => ({
  id: `call_${index}`,
  name,
  // Schemas arrive as JSON.
  input: JSON.stringify(wanted.get(name) ?? createExample(inputSchema as JsonObject)),
});

/** Returns the inputs in a JSON message. Omits `null` values, as a model would. */
function parseWantedCalls(message: string): WantedCall {
  if (!message.startsWith('{')) return new Map();
  const { toolCalls = [] }: { readonly toolCalls?: readonly { name: string; arguments: JsonObject }[] } =
    JSON.parse(message);
  const omitNulls = (input: JsonObject): JsonObject =>
    Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null));
  return new Map(toolCalls.map(({ name, arguments: input }) => [name, omitNulls(input)]));
}

/** Returns an example for the simple schemas of the suite's tools. */
function createExample({ type, properties }: JsonObject): Json {
  switch (type) {
    case 'object':
      return Object.fromEntries(
        Object.entries(isJsonObject(properties) ? properties : {}).flatMap(([name, schema]) =>
          isJsonObject(schema) ? [[name, createExample(schema)]] : [],
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
