import type {
  LanguageModelV4CallOptions,
  LanguageModelV4FunctionTool,
  LanguageModelV4Prompt,
} from '@ai-sdk/provider';
import type {
  ModelMessage,
  ModelRequest,
  OutputFormat,
  RequestedCall,
  ToolDefinition,
} from '../chat-model.ts';
import { isRecord, parseJson } from '../untrusted-json.ts';

type PromptMessage = LanguageModelV4Prompt[number];
type Results = Extract<PromptMessage, { role: 'tool' }>;
/** Its type depends on whether the types of `json-schema` are installed; a JSON Schema of ours is one of theirs. */
type Schema = LanguageModelV4FunctionTool['inputSchema'];

/** An ask as a model of the AI SDK takes it. */
export const toCallOptions = (
  { messages, tools, output, maxOutputTokens }: ModelRequest,
  abortSignal: AbortSignal,
): LanguageModelV4CallOptions => ({
  prompt: toPrompt(messages),
  abortSignal,
  ...(tools.length === 0 ? {} : { tools: tools.map(toTool) }),
  ...(output === undefined ? {} : toFormat(output)),
  ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
});

/** The results of one reply stand in one message, since Google counts them against its calls. */
const toPrompt = (messages: readonly ModelMessage[]): LanguageModelV4Prompt => {
  const prompt: LanguageModelV4Prompt = [];
  for (const message of messages) {
    const last = prompt.at(-1);
    if (message.role === 'tool' && last?.role === 'tool') last.content.push(toResult(message));
    else prompt.push(toPromptMessage(message));
  }
  // Anthropic refuses a message without content.
  return prompt.filter(({ content }) => content.length > 0);
};

const toPromptMessage = (message: ModelMessage): PromptMessage => {
  switch (message.role) {
    case 'system':
      return { role: 'system', content: message.text };
    case 'user':
      return { role: 'user', content: [{ type: 'text', text: message.text }] };
    case 'assistant': {
      const text = message.text === '' ? [] : [{ type: 'text' as const, text: message.text }];
      return { role: 'assistant', content: [...text, ...message.toolCalls.map(toCall)] };
    }
    case 'tool':
      return { role: 'tool', content: [toResult(message)] };
  }
};

const toResult = ({
  id,
  name,
  text,
}: Extract<ModelMessage, { role: 'tool' }>): Results['content'][number] => ({
  type: 'tool-result',
  toolCallId: id,
  toolName: name,
  output: { type: 'text', value: text },
});

const toCall = ({ id, name, input }: RequestedCall) => {
  const value = parseJson(input);
  return {
    type: 'tool-call' as const,
    toolCallId: id,
    toolName: name,
    // Several providers refuse an earlier input that is no object, and it was the model that got it wrong.
    input: isRecord(value) ? value : {},
  };
};

const toTool = ({ name, description, inputSchema }: ToolDefinition): LanguageModelV4FunctionTool => ({
  type: 'function',
  name,
  description,
  inputSchema: inputSchema as Schema,
});

const toFormat = ({ name, schema }: OutputFormat) => ({
  responseFormat: { type: 'json' as const, name, schema: schema as Schema },
  // OpenAI's provider asks for strict schemas unless told otherwise, and they allow no optional property.
  providerOptions: { openai: { strictJsonSchema: false } },
});
