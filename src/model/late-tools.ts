/** For models to which tools that come late matter: what their conversations show of that, and what they have signed with it. */
import type {
  ChangingTools,
  ModelMessage,
  ModelRequest,
  ShownTool,
  SignedRequest,
  ToolDefinition,
  ToolsTold,
} from './chat-model.ts';
import { withoutBytes } from './given-to.ts';

/**
 * `showToolsChanges` of a model that takes them. Without the definition of a tool, its change and those before it are not shown, and
 * neither are those before one that a module has taken out: what remains begins with the tools that were there after it.
 */
export function showToolsChanges<Tool extends { readonly inner?: readonly Tool[] | undefined }>(
  changing: ChangingTools<Tool>,
): ReadonlyMap<unknown, ToolsTold> {
  const told = new Map<unknown, ToolsTold>();
  const { pending } = changing;
  const changes = [...lastWhole(changing), ...(pending ? [pending] : [])];
  if (changes.length === 0) return told;
  const known = definitionsIn(changing);
  // A name stands for what it was at that point: a tool that was replaced is found by its hash.
  for (const change of changes.toReversed()) {
    const [came, went] = [change.came, change.went].map((tools) =>
      tools.flatMap((tool) => known.get(keyOf(tool)) ?? []),
    );
    if (came?.length !== change.came.length || went?.length !== change.went.length) break;
    told.set(change, { came, went });
  }
  return told;
}

/** The last changes that modules have left in their places: with one taken out, those before it do not add up any more. */
function lastWhole({ conversation, shown }: Pick<ChangingTools<never>, 'conversation' | 'shown'>) {
  const all = conversation.flatMap(({ toolsChange }) => toolsChange ?? []);
  const left = shown.flatMap(({ toolsChange }) => toolsChange ?? []);
  const differs = all.findLastIndex((change, index) => change !== left.at(index - all.length));
  return all.slice(differs + 1);
}

/** Every definition that the loop knows: of what it offers, of what it is declared with, and of what is inside of that. */
function definitionsIn<Tool extends { readonly inner?: readonly Tool[] | undefined }>({
  tools,
  mayBecome,
  shownAs,
}: ChangingTools<Tool>): ReadonlyMap<string, ToolDefinition> {
  const known = new Map<string, ToolDefinition>();
  const keep = (tool: Tool): void => {
    const { definition, offered } = shownAs(tool);
    known.set(keyOf(offered), definition);
  };
  const add = (tool: Tool): void => {
    if (known.has(keyOf(shownAs(tool).offered))) return;
    keep(tool);
    for (const other of mayBecome(tool)) keep(other);
    for (const inner of tool.inner ?? []) add(inner);
  };
  for (const tool of tools) add(tool);
  return known;
}

const keyOf = ({ name, hash }: ShownTool): string => `${name}:${hash}`;

/**
 * `signPrefix` of a model that signs what it thinks together with all that stood before: marks the replies that it has signed with
 * another prefix than the one that they stand behind now.
 */
export function signPrefix(request: ModelRequest, hash: (text: string) => string): SignedRequest {
  let prefix = hash(JSON.stringify(toolsBefore(request.messages, request.tools)));
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
 * The tools that a conversation has begun with: those of now, without what came and with what went in it. Each stands where it
 * stands now; once one that is gone is among them, all stand by name, as at the start.
 */
export function toolsBefore(
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
