import { describe, expect, it } from 'vitest';
import {
  type Body,
  cutLastCharacter,
  forget,
  getBlock,
  last,
  loadBody,
  newTool,
  type Sabotage,
  type SabotagedBlock,
  sendSabotaged,
  swap,
} from '../../../wires/anthropic-sabotage.ts';

const formatModifiedMessage = (path: string) =>
  `${path}: \`thinking\` or \`redacted_thinking\` blocks in the latest assistant message cannot be modified. ` +
  'These blocks must remain as they were in the original response.';
const formatBoundMessages = (path: string, ...more: string[]) =>
  [
    `${path}: Invalid \`signature\` in \`thinking\` block. The block is bound to a different conversation. Remove the ` +
      'block, or set `thinking.block_binding.prefix_mismatch_behavior` to "drop_block". That setting requires the ' +
      '`thinking-binding-controls-2026-08-01` value in the `anthropic-beta` header.',
    ...more,
  ].join(' ');
const formatUnansweredMessage = (path: string, id: unknown) =>
  `${path}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${String(id)}. ` +
  'Each `tool_use` block must have a corresponding `tool_result` block in the next message.';
const missingBefore =
  'The `thinking` block that preceded this one when it was created is missing from this request.';
const sabotages: readonly [string, Sabotage, (body: Body) => void, string | ((body: Body) => string)][] = [
  [
    'a signature is shortened',
    { of: 'plain' },
    (body) => cutLastCharacter('signature', getBlock(body, 3, 0)),
    'messages.3.content.0: Invalid `signature` in `thinking` block',
  ],
  [
    'a redacted thought is shortened',
    { of: 'plain' },
    (body) => cutLastCharacter('data', getBlock(body, 3, 1)),
    'messages.3.content.1: Invalid `data` in `redacted_thinking` block',
  ],
  [
    'the text of a thought is changed',
    { of: 'plain' },
    (body) => cutLastCharacter('thinking', getBlock(body, 1, 0)),
    formatModifiedMessage('messages.1.content.0'),
  ],
  [
    'a thought between others is dropped',
    { of: 'plain' },
    ({ messages }) => messages[3]?.content.shift(),
    formatModifiedMessage('messages.3.content.0'),
  ],
  [
    'all thoughts of one reply are dropped',
    { of: 'plain' },
    (body) => forget(body, 5, 6),
    formatModifiedMessage('messages.5.content.0'),
  ],
  [
    'two thoughts are swapped',
    { of: 'plain' },
    ({ messages }) => swap(messages[3]?.content, 0, 1),
    formatModifiedMessage('messages.3.content.0'),
  ],
  [
    'a thought is moved after the call',
    { of: 'plain' },
    ({ messages }) => swap(messages[3]?.content, 2, 3),
    formatModifiedMessage('messages.3.content.2'),
  ],
  [
    'the last reply lacks its thoughts, and thinking has a budget',
    { of: 'budget' },
    (body) => forget(body, 7, 8),
    'messages.7.content.0.type: Expected `thinking` or `redacted_thinking`, but found `text`. When `thinking` is ' +
      'enabled, a final `assistant` message must start with a thinking block (preceeding the lastmost set of ' +
      '`tool_use` and `tool_result` blocks). We recommend you include thinking blocks from previous turns. To avoid ' +
      'this requirement, disable `thinking`. Please consult our documentation at ' +
      'https://docs.claude.com/en/docs/build-with-claude/extended-thinking',
  ],
  [
    'a thought of an earlier turn is dropped between others',
    { of: 'plain', at: last },
    ({ messages }) => messages[3]?.content.shift(),
    'wire: messages.3.content.0: `thinking` was given here and `redacted_thinking` came back',
  ],
  [
    'all thoughts of one reply of an earlier turn are dropped',
    { of: 'plain', at: last },
    (body) => forget(body, 3, 4),
    'wire: messages.5.content.0: thinking that was given before this block did not come back',
  ],
  [
    'a text is changed',
    { of: 'plain' },
    (body) => cutLastCharacter('text', getBlock(body, 1, 1)),
    'wire: messages.1.content.1: `text` was given here and `text` with other content came back',
  ],
  [
    'the input of a call is changed',
    { of: 'plain' },
    (body) => Object.assign(getBlock(body, 1, 2), { input: { query: 'else', n: 0 } }),
    'wire: messages.1.content.2: `tool_use` was given here and `tool_use` with other content came back',
  ],
  [
    'a search result is shortened',
    { of: 'plain' },
    (body) =>
      cutLastCharacter('encrypted_content', (getBlock(body, 5, 2).content as SabotagedBlock[])[0] ?? {}),
    'messages.5.content.2.content.0: Invalid `encrypted_content` in `search_result` block',
  ],
  [
    'a search lacks its result',
    { of: 'plain' },
    ({ messages }) => messages[5]?.content.splice(2, 1),
    (body) =>
      `messages.5: \`web_search\` tool use with id \`${String(getBlock(body, 5, 1).id)}\` was found without a ` +
      'corresponding `web_search_tool_result` block',
  ],
  [
    'a text separates a result from its call',
    { of: 'plain' },
    ({ messages }) => messages[2]?.content.unshift({ type: 'text', text: 'Wait.' }),
    (body) => formatUnansweredMessage('messages.1', getBlock(body, 1, 2).id),
  ],
  [
    'one of two results is missing',
    { of: 'plain' },
    ({ messages }) => messages[4]?.content.pop(),
    (body) => formatUnansweredMessage('messages.3', getBlock(body, 3, 4).id),
  ],
  [
    'a result is repeated',
    { of: 'plain' },
    (body) => body.messages[2]?.content.push(getBlock(body, 2, 0)),
    (body) =>
      'messages.2.content.1: each tool_use must have a single result. Found multiple `tool_result` blocks with id: ' +
      String(getBlock(body, 2, 0).tool_use_id),
  ],
  [
    'a result has no call',
    { of: 'plain' },
    ({ messages }) => messages[2]?.content.push({ type: 'tool_result', tool_use_id: 'toolu_x', content: '' }),
    'messages.2.content.1: unexpected `tool_use_id` found in `tool_result` blocks: toolu_x. Each `tool_result` block ' +
      'must have a corresponding `tool_use` block in the previous message.',
  ],
  [
    'a thought is marked for the cache',
    { of: 'plain' },
    (body) => Object.assign(getBlock(body, 1, 0), { cache_control: { type: 'ephemeral' } }),
    'messages.1.content.0.cache_control: Extra inputs are not permitted',
  ],
  [
    'a fifth block is marked for the cache',
    { of: 'plain' },
    (body) => {
      for (const target of [body.tools[0], body.system[0], ...[2, 4, 6].map((at) => getBlock(body, at, 0))])
        Object.assign(target ?? {}, { cache_control: { type: 'ephemeral' } });
    },
    'A maximum of 4 blocks with cache_control may be provided. Found 5.',
  ],
  [
    'the request and four of its blocks are marked for the cache',
    { of: 'plain' },
    (body) => {
      const targets = [body, body.system[0], ...[2, 4, 6].map((at) => getBlock(body, at, 0))];
      for (const target of targets) Object.assign(target ?? {}, { cache_control: { type: 'ephemeral' } });
    },
    'A maximum of 4 blocks with cache_control may be provided. Found 5.',
  ],
  [
    'a mark for an hour follows a mark for five minutes',
    { of: 'plain' },
    (body) => {
      Object.assign(body.tools[0] ?? {}, { cache_control: { type: 'ephemeral' } });
      Object.assign(body.system[0] ?? {}, { cache_control: { type: 'ephemeral', ttl: '1h' } });
    },
    "system.0.cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block. Note " +
      'that blocks are processed in the following order: `tools`, `system`, `messages`.',
  ],
  [
    'an empty text is marked for the cache',
    { of: 'plain' },
    ({ messages }) =>
      messages.at(-1)?.content.push({ type: 'text', text: '', cache_control: { type: 'ephemeral' } }),
    ({ messages }) => {
      const at = messages.length - 1;
      return `messages.${at}.content.${messages[at]?.content.length}.text: cache_control cannot be set for empty text blocks`;
    },
  ],
  [
    'a tool with deferred loading is marked for the cache',
    { of: 'plain' },
    ({ tools }) => tools.push({ ...newTool, defer_loading: true, cache_control: { type: 'ephemeral' } }),
    "Tool 'new' cannot have both defer_loading=true and cache_control set. Tools with defer_loading cannot use prompt caching.",
  ],
  [
    'the thoughts have signatures of another server',
    { of: 'plain', options: { seed: 'another' } },
    () => undefined,
    'messages.1.content.0: Invalid `signature` in `thinking` block',
  ],
  [
    'the system text changes under preserved thinking',
    { of: 'preserved' },
    ({ system }) => Object.assign(system[0] ?? {}, { text: 'Be long.' }),
    formatBoundMessages(
      'messages.1.content.0',
      'The `system` prompt differs from the one this block was created with.',
    ),
  ],
  [
    'a tool is added under preserved thinking',
    { of: 'preserved' },
    ({ tools }) => tools.push(newTool),
    formatBoundMessages('messages.1.content.0'),
  ],
  [
    'two tools are swapped under preserved thinking',
    { of: 'preserved' },
    ({ tools }) => swap(tools, 0, 1),
    formatBoundMessages('messages.1.content.0'),
  ],
  [
    'two results are reordered under preserved thinking',
    { of: 'preserved' },
    ({ messages }) => swap(messages[4]?.content, 0, 1),
    formatBoundMessages('messages.5.content.0'),
  ],
  [
    'an old result is shortened under preserved thinking',
    { of: 'preserved' },
    (body) => cutLastCharacter('content', getBlock(body, 2, 0)),
    formatBoundMessages('messages.3.content.0'),
  ],
  [
    'all thoughts of one earlier reply are dropped under preserved thinking',
    { of: 'preserved', at: last },
    (body) => forget(body, 3, 4),
    formatBoundMessages('messages.5.content.0', missingBefore),
  ],
  [
    'the client prefills the reply',
    { of: 'plain' },
    ({ messages }) => messages.push({ role: 'assistant', content: [{ type: 'text', text: 'I' }] }),
    'This model does not support assistant message prefill. The conversation must end with a user message.',
  ],
  [
    'the behavior for a changed prefix is set without the header',
    { of: 'preserved' },
    ({ thinking }) => Object.assign(thinking, { block_binding: { prefix_mismatch_behavior: 'drop_block' } }),
    'thinking.block_binding: Extra inputs are not permitted',
  ],
];

describe('the strict Anthropic server refuses a request if', () => {
  it.each(sabotages)('%s', async (_title, sabotage, change, words) => {
    const message = typeof words === 'string' ? words : words(await loadBody(sabotage));
    expect(await sendSabotaged(change, sabotage)).toEqual({
      status: 400,
      message,
      body: { type: 'error', error: { type: 'invalid_request_error', message } },
    });
  });
});
