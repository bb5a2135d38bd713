/** Combinations of settings that Anthropic refuses, and invalid cache marks. */
import { RefusalError } from '../wire.ts';
import type { AnthropicBody } from './request.ts';
import { bindingBeta } from './thinking.ts';

const maximumMarks = 4;

export function checkSettings(body: AnthropicBody, betas: ReadonlySet<string>): void {
  const { thinking, tool_choice: choice, max_tokens: maximum } = body;
  const thinks = thinking?.type === 'enabled' || thinking?.type === 'adaptive';
  if (thinks && (choice?.type === 'any' || choice?.type === 'tool')) {
    throw new RefusalError(400, 'Thinking may not be enabled when tool_choice forces tool use.');
  }
  if (thinking?.type === 'enabled' && maximum <= (thinking.budget_tokens ?? 0)) {
    throw new RefusalError(400, '`max_tokens` must be greater than `thinking.budget_tokens`.');
  }
  if (thinks && body.temperature !== undefined && body.temperature !== 1) {
    throw new RefusalError(400, '`temperature` may only be set to 1 when thinking is enabled.');
  }
  if (thinking?.block_binding !== undefined && !betas.has(bindingBeta)) {
    throw new RefusalError(400, 'thinking.block_binding: Extra inputs are not permitted');
  }
  checkMarks(body);
  checkTexts(body);
}

function checkTexts({ messages }: AnthropicBody): void {
  const texts = messages.flatMap(({ content }) =>
    typeof content === 'string'
      ? [content]
      : content.flatMap((block) => (block.type === 'text' ? [block.text] : [])),
  );
  if (texts.includes('')) throw new RefusalError(400, 'messages: text content blocks must be non-empty');
}

function checkMarks({ system, tools = [], messages, cache_control: whole }: AnthropicBody): void {
  const deferred = tools.find((tool) => tool.defer_loading === true && isMarked(tool));
  if (deferred) {
    throw new RefusalError(
      400,
      `Tool '${deferred.name}' cannot have both defer_loading=true and cache_control set. ` +
        'Tools with defer_loading cannot use prompt caching.',
    );
  }
  const blocks = [
    ...(typeof system === 'object' ? system.map((block, at) => ({ path: `system.${at}`, block })) : []),
    ...messages.flatMap(({ content }, index) =>
      typeof content === 'string'
        ? []
        : content.map((block, at) => ({ path: `messages.${index}.content.${at}`, block })),
    ),
  ];
  const marked = blocks.filter(({ block }) => isMarked(block));
  const empty = marked.find(({ block }) => block.type === 'text' && block.text === '');
  if (empty)
    throw new RefusalError(400, `${empty.path}.text: cache_control cannot be set for empty text blocks`);
  checkTerms([...tools.map((block, at) => ({ path: `tools.${at}`, block })), ...blocks], whole);
  const count = tools.filter(isMarked).length + marked.length + (whole === undefined ? 0 : 1);
  if (count <= maximumMarks) return;
  throw new RefusalError(
    400,
    `A maximum of ${maximumMarks} blocks with cache_control may be provided. Found ${count}.`,
  );
}

/** Checks that longer cache terms come before shorter ones. A mark on the request belongs to its last block. */
function checkTerms(
  blocks: readonly { readonly path: string; readonly block: object }[],
  whole: AnthropicBody['cache_control'],
): void {
  let isShort = false;
  for (const { path, block } of [...blocks, { path: '', block: whole ? { cache_control: whole } : {} }]) {
    const { cache_control: mark }: { readonly cache_control?: { readonly ttl?: unknown } } = block;
    if (mark === undefined) continue;
    if (isShort && mark.ttl === '1h') {
      throw new RefusalError(
        400,
        `${path === '' ? '' : `${path}.`}cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' ` +
          'cache_control block. Note that blocks are processed in the following order: `tools`, `system`, `messages`.',
      );
    }
    isShort ||= mark.ttl !== '1h';
  }
}

const isMarked = (marked: object): boolean => 'cache_control' in marked;
