/** The schema of a request to the Messages API. An unknown field is refused with the API's message. */
import * as v from 'valibot';
import { RefusalError, type WireRequest } from '../wire.ts';
import { Document, Image, SearchResult } from './media.ts';

const cacheField = { cache_control: v.optional(v.looseObject({ type: v.literal('ephemeral') })) };
const callFields = { ...cacheField, caller: v.optional(v.looseObject({ type: v.string() })) };
const Text = v.strictObject({
  type: v.literal('text'),
  text: v.string(),
  citations: v.optional(v.array(v.unknown())),
  ...cacheField,
});
const ToolReference = v.strictObject({
  type: v.literal('tool_reference'),
  tool_name: v.string(),
  ...cacheField,
});
const Input = v.record(v.string(), v.unknown());
const Thinking = v.strictObject({ type: v.literal('thinking'), thinking: v.string(), signature: v.string() });
const RedactedThinking = v.strictObject({ type: v.literal('redacted_thinking'), data: v.string() });
const ToolUse = v.strictObject({
  type: v.literal('tool_use'),
  id: v.string(),
  name: v.string(),
  input: Input,
  ...callFields,
});
const ToolResult = v.strictObject({
  type: v.literal('tool_result'),
  tool_use_id: v.string(),
  content: v.optional(
    v.union([v.string(), v.array(v.variant('type', [Text, Image, Document, SearchResult, ToolReference]))]),
  ),
  is_error: v.optional(v.boolean()),
  ...cacheField,
});
const ServerToolUse = v.strictObject({
  type: v.literal('server_tool_use'),
  id: v.string(),
  name: v.string(),
  input: Input,
  ...callFields,
});
const WebSearchResult = v.strictObject({
  type: v.literal('web_search_result'),
  url: v.string(),
  title: v.nullable(v.string()),
  page_age: v.nullish(v.string()),
  encrypted_content: v.string(),
});
const WebSearchToolResult = v.strictObject({
  type: v.literal('web_search_tool_result'),
  tool_use_id: v.string(),
  content: v.array(WebSearchResult),
  ...callFields,
});
const Tool = v.looseObject({
  name: v.string(),
  type: v.optional(v.string()),
  input_schema: v.optional(v.looseObject({ type: v.literal('object') })),
  defer_loading: v.optional(v.boolean()),
});
const ToolChange = v.strictObject({
  type: v.picklist(['tool_addition', 'tool_removal']),
  tool: v.variant('type', [
    v.strictObject({ type: v.literal('tool_reference'), name: v.string() }),
    v.strictObject({ type: v.literal('tool_definition'), definition: Tool }),
  ]),
});
const Block = v.variant('type', [
  Text,
  Image,
  Document,
  SearchResult,
  Thinking,
  RedactedThinking,
  ToolUse,
  ToolResult,
  ServerToolUse,
  WebSearchToolResult,
  ToolChange,
]);
const Message = v.strictObject({
  role: v.picklist(['user', 'assistant', 'system']),
  content: v.union([v.string(), v.array(Block)]),
  clear_at: v.optional(v.string()),
  output_config: v.optional(v.looseObject({})),
});
const ThinkingConfig = v.strictObject({
  type: v.optional(v.picklist(['enabled', 'adaptive', 'disabled'])),
  budget_tokens: v.optional(v.number()),
  display: v.optional(v.string()),
  block_binding: v.optional(
    v.strictObject({ prefix_mismatch_behavior: v.picklist(['error', 'drop_block']) }),
  ),
});
const Body = v.strictObject({
  model: v.string(),
  max_tokens: v.number(),
  messages: v.array(Message),
  system: v.optional(v.union([v.string(), v.array(Text)])),
  tools: v.optional(v.array(Tool)),
  tool_choice: v.optional(v.looseObject({ type: v.picklist(['auto', 'any', 'tool', 'none']) })),
  thinking: v.optional(ThinkingConfig),
  output_config: v.optional(v.looseObject({})),
  stream: v.optional(v.boolean()),
  temperature: v.optional(v.number()),
  top_p: v.optional(v.number()),
  top_k: v.optional(v.number()),
  stop_sequences: v.optional(v.array(v.string())),
  metadata: v.optional(v.looseObject({})),
  service_tier: v.optional(v.string()),
  ...cacheField,
});

export type AnthropicBlock = v.InferOutput<typeof Block>;
export type AnthropicTool = v.InferOutput<typeof Tool>;
export type AnthropicBody = v.InferOutput<typeof Body>;

/** Parses a body that a wire accepted. */
export const readBody = (body: unknown): AnthropicBody => v.parse(Body, body);

/**
 * Parses the body of a request. Refuses a missing key, an unknown field and an invalid value with the API's
 * messages.
 */
export function parseBody({ url, headers, body }: WireRequest): AnthropicBody {
  if (!url.pathname.endsWith('/v1/messages')) throw new RefusalError(404, 'Not Found');
  if (!headers.has('x-api-key')) throw new RefusalError(401, 'x-api-key header is required');
  if (!headers.has('anthropic-version')) throw new RefusalError(400, 'anthropic-version: header is required');
  const parsed = v.safeParse(Body, body);
  if (parsed.success) return parsed.output;
  throw new RefusalError(400, formatIssue(findDeepestIssue(parsed.issues[0])));
}

/**
 * Returns the most specific issue. A union only reports that no option matches, and the first issue of its
 * options contains the reason.
 */
function findDeepestIssue(issue: v.BaseIssue<unknown>): v.BaseIssue<unknown> {
  const inner = issue.issues?.find(({ path }) => path !== undefined);
  if (inner === undefined) return issue;
  const path = [...(issue.path ?? []), ...(inner.path ?? [])];
  return findDeepestIssue({ ...inner, ...(isNonEmptyPath(path) && { path }) });
}

function isNonEmptyPath(path: readonly v.IssuePathItem[]): path is [v.IssuePathItem, ...v.IssuePathItem[]] {
  return path.length > 0;
}

function formatIssue(issue: v.BaseIssue<unknown>): string {
  const path = (issue.path ?? []).map(({ key }) => String(key)).join('.');
  if (issue.expected === 'never') return `${path}: Extra inputs are not permitted`;
  if (issue.type === 'variant' && issue.received !== 'undefined') {
    const replaceQuotes = (words: string) => words.replaceAll('"', "'");
    const found = replaceQuotes(issue.received);
    const list = replaceQuotes(issue.expected ?? '')
      .replace(/[()]/g, '')
      .split(' | ')
      .join(', ');
    const at = path.replace(/\.type$/, '');
    return `${at}: Input tag ${found} found using 'type' does not match any of the expected tags: ${list}`;
  }
  if (issue.received === 'undefined') return `${path}: Field required`;
  return `${path}: Input should be a valid ${issue.expected ?? issue.kind}`;
}
