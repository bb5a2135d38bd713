import { toWireCall, toWireTool } from '../chat-completions/to-wire.ts';
import type { ModelMessage, ModelRequest, OutputFormat } from '../chat-model.ts';

/** The binding checks each message against a schema in which every content is text. */
const toWireMessage = (message: ModelMessage) => {
  const { role, text: content } = message;
  switch (role) {
    case 'system':
    case 'user':
      return { role, content };
    case 'assistant':
      return message.toolCalls.length === 0
        ? { role, content }
        : { role, content, tool_calls: message.toolCalls.map(toWireCall) };
    case 'tool':
      return { role, tool_call_id: message.id, name: message.name, content };
  }
};

/** Told in the first message: the templates of several models know no other place for a system message. */
const withInstruction = (messages: readonly ModelMessage[], instruction: string): readonly ModelMessage[] => {
  const [first, ...rest] = messages;
  return first?.role === 'system'
    ? [{ role: 'system', text: `${first.text}\n\n${instruction}` }, ...rest]
    : [{ role: 'system', text: instruction }, ...messages];
};

const inWords = ({ schema }: OutputFormat): string =>
  `When you answer in words, answer with nothing but JSON that matches this schema: ${JSON.stringify(schema)}`;

/** The schema stands alone, not in an envelope with a name as OpenAI has it. */
const toFormat = ({ schema }: OutputFormat) => ({
  response_format: { type: 'json_schema', json_schema: schema },
});

/**
 * The inputs of one run. In JSON mode Workers AI neither calls tools nor streams, so beside tools the form is asked for
 * in words, and an answer that has a form comes in one piece.
 */
export const toRunInputs = (
  { messages, tools, output, maxOutputTokens }: ModelRequest,
  streamed: boolean,
): Record<string, unknown> => {
  const told =
    output !== undefined && tools.length > 0 ? withInstruction(messages, inWords(output)) : messages;
  const format = output !== undefined && tools.length === 0 ? toFormat(output) : undefined;
  return {
    messages: told.map(toWireMessage),
    ...(tools.length === 0 ? {} : { tools: tools.map(toWireTool) }),
    ...(maxOutputTokens === undefined ? {} : { max_tokens: maxOutputTokens }),
    ...(format ?? (streamed ? { stream: true } : {})),
  };
};
