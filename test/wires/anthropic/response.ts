/** A reply in the format of Anthropic's API: whole, and as stream events. */
import { type ScriptedReply, type StreamEvent, splitText } from '../wire.ts';
import type { AnthropicBlock, AnthropicBody } from './request.ts';
import type { InputTransformation } from './thinking.ts';

export interface AnthropicReply {
  readonly body: AnthropicBody;
  readonly reply: ScriptedReply;
  readonly content: readonly AnthropicBlock[];
  readonly id: string;
  /**
   * The dropped parts of the request. Reported only if the request chose what happens when a prefix changes.
   */
  readonly transformations?: readonly InputTransformation[];
}

export function toMessage(answer: AnthropicReply): object {
  return {
    ...createEnvelope(answer),
    content: answer.content.map(withCaller),
    stop_reason: getStopReason(answer),
    usage: computeUsage(answer),
  };
}

export function* streamEvents(answer: AnthropicReply): Iterable<StreamEvent> {
  const usage = { ...computeUsage(answer), output_tokens: 1 };
  yield toStreamEvent({
    type: 'message_start',
    message: { ...createEnvelope(answer), content: [], stop_reason: null, usage },
  });
  yield toStreamEvent({ type: 'ping' });
  for (const [index, block] of answer.content.entries()) {
    yield toStreamEvent({ type: 'content_block_start', index, content_block: createStartContent(block) });
    for (const delta of createDeltas(block))
      yield toStreamEvent({ type: 'content_block_delta', index, delta });
    yield toStreamEvent({ type: 'content_block_stop', index });
  }
  yield toStreamEvent({
    type: 'message_delta',
    delta: { stop_reason: getStopReason(answer), stop_sequence: null },
    usage: computeUsage(answer),
  });
  yield toStreamEvent({ type: 'message_stop' });
}

function createEnvelope({ body, id, transformations }: AnthropicReply): object {
  return {
    model: body.model,
    id,
    type: 'message',
    role: 'assistant',
    stop_sequence: null,
    ...(transformations !== undefined && { input_transformations: transformations }),
  };
}

/** Returns the content of a block's first event, without the content of its deltas. */
function createStartContent(block: AnthropicBlock): object {
  if (block.type === 'thinking') return { type: 'thinking', thinking: '', signature: '' };
  if (block.type === 'text') return { type: 'text', text: '' };
  if (block.type === 'tool_use' || block.type === 'server_tool_use')
    return { ...withCaller(block), input: {} };
  return withCaller(block);
}

function createDeltas(block: AnthropicBlock): readonly object[] {
  if (block.type === 'thinking') {
    const words = splitText(block.thinking).map((thinking) => ({ type: 'thinking_delta', thinking }));
    return [...words, { type: 'signature_delta', signature: block.signature }];
  }
  if (block.type === 'text') return splitText(block.text).map((text) => ({ type: 'text_delta', text }));
  if (block.type !== 'tool_use' && block.type !== 'server_tool_use') return [];
  return ['', ...splitText(JSON.stringify(block.input))].map((partial) => ({
    type: 'input_json_delta',
    partial_json: partial,
  }));
}

function withCaller(block: AnthropicBlock): object {
  return block.type === 'tool_use' || block.type === 'server_tool_use'
    ? { ...block, caller: { type: 'direct' } }
    : block;
}

/** Returns the stop reason. A reply that ends with search results is paused. */
function getStopReason({ content }: AnthropicReply): string {
  if (content.at(-1)?.type === 'web_search_tool_result') return 'pause_turn';
  return content.some(({ type }) => type === 'tool_use') ? 'tool_use' : 'end_turn';
}

/** Computes usage from the position. Each request reads the earlier ones' content from the cache. */
function computeUsage({ reply, content }: AnthropicReply): object {
  return {
    input_tokens: 12,
    cache_creation_input_tokens: 100,
    cache_read_input_tokens: reply.at * 100,
    cache_creation: { ephemeral_5m_input_tokens: 100, ephemeral_1h_input_tokens: 0 },
    output_tokens: 20 + content.length,
    output_tokens_details: { thinking_tokens: 10 },
    service_tier: 'standard',
  };
}

function toStreamEvent(data: { readonly type: string; readonly [field: string]: unknown }): StreamEvent {
  return { event: data.type, data };
}
