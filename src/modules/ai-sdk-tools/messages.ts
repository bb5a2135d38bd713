import type { ModelMessage } from '../../model/chat-model.ts';
import type { HistoryMessage } from '../../tool/call.ts';
import { parseToolInput } from '../../tool/check-input.ts';
import { fromBase64 } from '../../tool/content.ts';
import { isJsonObject } from '../../tool/json.ts';
import { createErrorEntry, type Log } from '../../tool/log.ts';
import { content, file } from '../../tool/to-tool-result.ts';
import {
  artifact,
  type ContentResult,
  error,
  getModelText,
  type ToolResult,
} from '../../tool/tool-result.ts';

/** A message in the AI SDK's format. */
export interface AiMessage {
  readonly role: string;
  readonly content: unknown;
}

/**
 * Converts the conversation before a call to AI SDK messages, as text. Omits the reply that contains the
 * call.
 */
export function toAiMessages(history: readonly HistoryMessage[]): AiMessage[] {
  const own = history.findLastIndex(({ role }) => role === 'assistant');
  return history.slice(0, own < 0 ? undefined : own).flatMap((message): AiMessage[] => {
    if (message.role === 'user') return [{ role: 'user', content: message.text }];
    const said = message.text === '' ? [] : [{ type: 'text', text: message.text }];
    const calls = message.calls.map(({ id, name, input }) => {
      const parsed = parseToolInput(name, input);
      return { type: 'tool-call', toolCallId: id, toolName: name, input: parsed.ok ? parsed.input : input };
    });
    const results = message.calls.flatMap(({ id, name, result }) => {
      if (!result) return [];
      const output = { type: result.type === 'error' ? 'error-text' : 'text', value: getModelText(result) };
      return [{ type: 'tool-result', toolCallId: id, toolName: name, output }];
    });
    const reply = { role: 'assistant', content: [...said, ...calls] };
    return results.length > 0 ? [reply, { role: 'tool', content: results }] : [reply];
  });
}

/** Converts an AI SDK conversation to model messages, as text. Limits count its calls, and tools read it. */
export function fromAiMessages(messages: readonly AiMessage[]): ModelMessage[] {
  return messages.flatMap(({ role, content }): ModelMessage[] => {
    const parts: readonly Fields[] = Array.isArray(content)
      ? content.map(Object)
      : [{ type: 'text', text: content }];
    const text = parts.flatMap((part) => (part.type === 'text' ? String(part.text) : [])).join('\n\n');
    switch (role) {
      case 'user':
        return [{ role, text }];
      case 'assistant': {
        const calls = parts.filter(({ type }) => type === 'tool-call');
        return [
          { role, text, toolCalls: calls.map((call) => ({ ...getCallId(call), input: formatInput(call) })) },
        ];
      }
      case 'tool':
        return parts.flatMap((part) =>
          part.type === 'tool-result'
            ? [{ role: 'tool' as const, ...getCallId(part), text: formatOutput(Object(part.output)) }]
            : [],
        );
      default:
        return [];
    }
  });
}

type Fields = Readonly<Record<string, unknown>>;

const getCallId = ({ toolCallId, toolName }: Fields): { readonly id: string; readonly name: string } => ({
  id: String(toolCallId),
  name: String(toolName),
});

const formatInput = ({ input }: Fields): string =>
  isJsonObject(input) ? JSON.stringify(input) : String(input);

function formatOutput({ type, value }: Fields): string {
  if (typeof value === 'string') return value;
  if (type !== 'content' || !Array.isArray(value)) return JSON.stringify(value ?? null);
  return value.flatMap((part) => (typeof part?.text === 'string' ? part.text : [])).join('\n\n');
}

/** The argument of the AI SDK's `toModelOutput`. */
interface AnsweredCall {
  readonly toolCallId: string;
  readonly input: unknown;
  readonly output: unknown;
}

/**
 * Returns the output of `execute`, with the text and files that `toModelOutput` creates for the model. If
 * `toModelOutput` throws, logs the error and returns the plain output, because the tool has already run.
 */
export async function toResult(
  toModelOutput: ((options: AnsweredCall) => unknown) | undefined,
  answered: AnsweredCall,
  log: Log,
): Promise<unknown> {
  const { output } = answered;
  if (!toModelOutput) return output;
  try {
    return withModelOutput(Object(await toModelOutput(answered)), output);
  } catch (thrown) {
    log(createErrorEntry('toModelOutput of a tool threw, so the model sees the value', thrown));
    return output;
  }
}

function withModelOutput({ type, value, reason }: Fields, output: unknown): unknown {
  switch (type) {
    case 'text':
      return withValue(String(value), output);
    case 'json':
      return withValue(JSON.stringify(value), output);
    case 'content':
      return withValue(content(Array.isArray(value) ? value.map(toPart) : []), output);
    case 'error-text':
      return error(String(value));
    case 'error-json':
      return error(JSON.stringify(value));
    case 'execution-denied':
      return error(typeof reason === 'string' ? reason : 'The call was denied.');
    default:
      return output;
  }
}

const withValue = (words: string | ContentResult, output: unknown): string | ToolResult =>
  output === undefined || output === null ? words : artifact(words, output);

/**
 * Converts a content part. Supports older part types, such as `image-data` and `file-url`, which contain
 * base64 or a URL.
 */
function toPart(part: unknown): string | ContentResult {
  const { type, text, data, url, mediaType, filename }: Fields = Object(part);
  if (typeof text === 'string') return text;
  const held: Fields = typeof data === 'object' && data !== null ? Object(data) : { data, url };
  if (typeof held.text === 'string') return held.text;
  const media = typeof mediaType === 'string' && mediaType.includes('/') ? mediaType : DEFAULT_TYPE;
  const name = typeof filename === 'string' ? filename : undefined;
  const address = typeof held.url === 'string' ? URL.parse(held.url) : held.url;
  if (address instanceof URL) return file(address, media, name);
  const bytes = typeof held.data === 'string' ? fromBase64(held.data) : held.data;
  if (bytes instanceof Uint8Array || bytes instanceof ArrayBuffer) return file(bytes, media, name);
  return `(not shown: a part of the type ${String(type)})`;
}

const DEFAULT_TYPE = 'application/octet-stream';
