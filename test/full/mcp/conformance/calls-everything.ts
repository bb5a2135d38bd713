import type { ChatModel, Json, JsonObject } from '../../../../src/index.ts';
import type { ToolDefinition } from '../../../../src/model/entry.ts';
import { isJsonObject } from '../../../doors/tools.ts';

/**
 * A model that calls every tool once that it is offered, with the input that the message wants, or one that fits, and then says
 * that it is done.
 */
export const callsEverything: ChatModel = {
  name: 'calls-everything',
  async ask({ messages, tools }) {
    const last = messages.at(-1);
    const wanted = last?.role === 'user' ? wantedIn(last.text) : new Map();
    const schema = tools.find(({ name }) => name === 'json_schema_2020_12_tool')?.inputSchema;
    if (schema) wanted.set(ECHO, { schema: schema as JsonObject }); // as it is sent: JSON
    const toolCalls = last?.role === 'user' ? tools.map((tool, index) => callOf(tool, index, wanted)) : [];
    return toolCalls.length > 0
      ? { text: '', toolCalls, finish: 'tool-calls' }
      : { text: 'There is no tool left to call.', toolCalls, finish: 'stop' };
  },
};

type Wanted = Map<string, JsonObject>;

/** Wants the schema of another tool back, to see what a client has made of it. */
const ECHO = 'json_schema_echo';

const callOf = ({ name, inputSchema }: ToolDefinition, index: number, wanted: Wanted) => ({
  id: `call_${index}`,
  name,
  // A tool's schema is shown as it is sent: JSON.
  input: JSON.stringify(wanted.get(name) ?? exampleOf(inputSchema as JsonObject)),
});

/** The inputs that a message holds as JSON. What is `null` there is left out: a model that has nothing to say says nothing. */
function wantedIn(message: string): Wanted {
  if (!message.startsWith('{')) return new Map();
  const { toolCalls = [] }: { readonly toolCalls?: readonly { name: string; arguments: JsonObject }[] } =
    JSON.parse(message);
  const said = (input: JsonObject): JsonObject =>
    Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null));
  return new Map(toolCalls.map(({ name, arguments: input }) => [name, said(input)]));
}

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
