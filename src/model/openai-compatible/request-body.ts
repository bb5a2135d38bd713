import { toWireMessage, toWireTool } from '../chat-completions/to-wire.ts';
import type { ModelRequest, OutputFormat, ToolDefinition } from '../chat-model.ts';

/** What servers call the most tokens of a reply. OpenAI's own models of late refuse the older name, other servers the newer. */
export type LimitParameter = 'max_tokens' | 'max_completion_tokens';

/** What is the same for every request of an adapter, or of a watched loop. */
interface BodySettings {
  readonly model: string;
  readonly limitParameter: LimitParameter;
  readonly streamed: boolean;
}

/**
 * The JSON text of a `POST /chat/completions`. The JSON of tool definitions and of the answer's form is reused, by the
 * identity of the tools' array, of each definition and of the form.
 */
export const toRequestBody = (
  { model, limitParameter, streamed }: BodySettings,
  { messages, tools, output, maxOutputTokens }: ModelRequest,
): string => {
  const body = JSON.stringify({
    model,
    messages: messages.map(toWireMessage),
    ...(streamed ? { stream: true, stream_options: { include_usage: true } } : {}),
    ...(maxOutputTokens === undefined ? {} : { [limitParameter]: maxOutputTokens }),
  });
  const more = [
    ...(tools.length === 0 ? [] : [`"tools":${toolsJson(tools)}`]),
    ...(output === undefined ? [] : [`"response_format":${outputJson(output)}`]),
  ];
  return more.length === 0 ? body : `${body.slice(0, -1)},${more.join(',')}}`;
};

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
const toolJson = remembered((tool: ToolDefinition) => JSON.stringify(toWireTool(tool)));
const toolsJson = remembered((tools: readonly ToolDefinition[]) => `[${tools.map(toolJson).join(',')}]`);

// It does not say `strict`: under it servers refuse a schema that has an optional property or allows unknown ones, so that an
// ordinary schema would end every turn with a 400. An answer that strays from the form is for the loop to notice.
const outputJson = remembered(({ name, schema }: OutputFormat) =>
  JSON.stringify({ type: 'json_schema', json_schema: { name, schema } }),
);
