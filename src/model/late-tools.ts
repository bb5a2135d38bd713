/** Special treatment of later tools by some models: tool changes in a conversation, and signed prefixes. */
import type {
  ChangingTools,
  ModelMessage,
  ModelRequest,
  ShownTool,
  SignedRequest,
  ToolDefinition,
  ToolSetChange,
} from './chat-model.ts';
import { withoutBytes } from './given-to.ts';

/**
 * The `showToolsChanges` of a model that accepts them. If the definition of a tool is unknown, its change and
 * all earlier ones are omitted. So are changes before one that a module removed. The conversation then begins
 * with the tools after that change.
 */
export function showToolsChanges<Tool extends { readonly inner?: readonly Tool[] | undefined }>(
  changing: ChangingTools<Tool>,
): ReadonlyMap<unknown, ToolSetChange> {
  const told = new Map<unknown, ToolSetChange>();
  const { pending } = changing;
  const changes = [...findLastCompleteChanges(changing), ...(pending ? [pending] : [])];
  if (changes.length === 0) return told;
  const known = collectDefinitions(changing);
  // A name refers to the tool at that point: a replaced tool is found by its hash.
  for (const change of changes.toReversed()) {
    const [came, went] = [change.came, change.went].map((tools) =>
      tools.flatMap((tool) => known.get(getToolKey(tool)) ?? []),
    );
    if (came?.length !== change.came.length || went?.length !== change.went.length) break;
    told.set(change, { came, went });
  }
  return told;
}

/**
 * Returns the last changes that no module has moved or removed. If one is missing, the changes before it no
 * longer lead to the current tools.
 */
function findLastCompleteChanges({
  conversation,
  shown,
}: Pick<ChangingTools<never>, 'conversation' | 'shown'>) {
  const all = conversation.flatMap(({ toolsChange }) => toolsChange ?? []);
  const left = shown.flatMap(({ toolsChange }) => toolsChange ?? []);
  const differs = all.findLastIndex((change, index) => change !== left.at(index - all.length));
  return all.slice(differs + 1);
}

/**
 * Returns every definition that the loop knows: those of its offered and declared tools, and of their inner
 * tools.
 */
function collectDefinitions<Tool extends { readonly inner?: readonly Tool[] | undefined }>({
  tools,
  mayBecome,
  shownAs,
}: ChangingTools<Tool>): ReadonlyMap<string, ToolDefinition> {
  const known = new Map<string, ToolDefinition>();
  const keep = (tool: Tool): void => {
    const { definition, offered } = shownAs(tool);
    known.set(getToolKey(offered), definition);
  };
  const add = (tool: Tool): void => {
    if (known.has(getToolKey(shownAs(tool).offered))) return;
    keep(tool);
    for (const other of mayBecome(tool)) keep(other);
    for (const inner of tool.inner ?? []) add(inner);
  };
  for (const tool of tools) add(tool);
  return known;
}

const getToolKey = ({ name, hash }: ShownTool): string => `${name}:${hash}`;

/**
 * The `signPrefix` of a model that signs its thoughts together with everything before them. It marks the
 * replies whose current prefix differs from the signed one.
 */
export function signPrefix(request: ModelRequest, hash: (text: string) => string): SignedRequest {
  let prefix = hash(JSON.stringify(getInitialTools(request.messages, request.tools)));
  const messages = request.messages.map((message): ModelMessage => {
    const before = prefix;
    prefix = hash(prefix + JSON.stringify(message, withoutMark));
    const isMoved = message.role === 'assistant' && message.parts && message.prefix !== before;
    return isMoved ? { ...message, movedPrefix: true } : message;
  });
  return { request: { ...request, messages }, prefix };
}

function withoutMark(this: unknown, key: string, value: unknown): unknown {
  return key === 'movedPrefix' ? undefined : withoutBytes.call(this, key, value);
}

/**
 * Returns the tools with which a conversation began: the current tools without those added since and with
 * those removed since, in their current order. If a removed tool returns to the list, all are sorted by name,
 * as at the start.
 */
export function getInitialTools(
  messages: readonly ModelMessage[],
  tools: readonly ToolDefinition[],
): readonly ToolDefinition[] {
  let before = tools;
  let isSettled = true;
  for (const message of messages.toReversed()) {
    const { came = [], went = [] } = (message.role === 'system' && message.toolsChange) || {};
    const [gone, back] = [came, went].map((list) => new Map(list.map((tool) => [tool.name, tool])));
    const there = new Set(before.map(({ name }) => name));
    const missing = went.filter(({ name }) => !there.has(name));
    if (missing.length > 0) isSettled = false;
    before = [
      ...before.flatMap((tool) => back?.get(tool.name) ?? (gone?.has(tool.name) ? [] : tool)),
      ...missing,
    ];
  }
  return isSettled ? before : before.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}
