/**
 * The parts of a request that a provider reads: tools, system text and messages. Each part is serialized as it
 * was in the HTTP body, without cache marks, which are removed by name and position.
 */

/** A part of a request that a provider reads as a unit. */
export interface Piece {
  /** The name of a tool, or the role of a message. */
  readonly key: string;
  /** Its JSON, without cache marks. */
  readonly text: string;
}

/** The parts of a request in cache order. A difference in one part invalidates all later parts. */
export const PARTS = ['tools', 'system', 'messages'] as const;
export type Part = (typeof PARTS)[number];
export type RequestParts = Readonly<Record<Part, readonly Piece[]>>;

/** The format of a wire's request bodies. */
export type BodyForm = 'anthropic' | 'gemini' | 'responses' | 'chat';

/** The key of a message that only announces added and removed tools. */
export const LATE_TOOLS_KEY = 'tools told';

type Json = Readonly<Record<string, unknown>>;

/** Parses a body. @throws Error if it has no messages, so it is not a model request in this format. */
export function parseParts(form: BodyForm, body: unknown): RequestParts {
  return READERS[form](isRecord(body) ? body : {});
}

const READERS: Readonly<Record<BodyForm, (body: Json) => RequestParts>> = {
  anthropic: ({ tools, system, messages }) => ({
    tools: toList(tools).map((tool) => toPiece(getToolName(tool), withoutAnthropicMarks(tool))),
    // A text and a list with one text are equal for the provider.
    system: listSystemTexts(system).map((text) => toPiece('system', withoutAnthropicMarks(text))),
    messages: readMessages(messages).map((message) =>
      toPiece(describeRole(message), withoutAnthropicMarks(message)),
    ),
  }),
  // Requests to Gemini have no cache marks. `cachedContent` identifies an explicit cache outside of these
  // parts.
  gemini: ({ tools, systemInstruction, contents }) => ({
    tools: toList(tools).flatMap((tool) => {
      const declared = isRecord(tool) ? toList(tool.functionDeclarations) : [];
      return declared.length > 0
        ? declared.map((one) => toPiece(getToolName(one), one))
        : [toPiece('tool', tool)];
    }),
    system: isRecord(systemInstruction)
      ? toList(systemInstruction.parts).map((part) => toPiece('system', part))
      : [],
    messages: readMessages(contents).map((content) => toPiece(describeRole(content), content)),
  }),
  responses: ({ tools, instructions, input }) => {
    const { head, rest } = withoutHead(readMessages(input).map(withoutOpenAiMarks));
    return {
      tools: toList(tools).map((tool) => toPiece(getToolName(tool), tool)),
      system: [...(typeof instructions === 'string' ? [instructions] : []), ...head].map((text) =>
        toPiece('system', text),
      ),
      messages: rest.map((item) => toPiece(describeRole(item), item)),
    };
  },
  chat: ({ tools, messages }) => {
    const { head, rest } = withoutHead(readMessages(messages).map(withoutChatMarks));
    return {
      tools: toList(tools).map((tool) => toPiece(getToolName(tool), withoutChatMarks(tool))),
      system: head.map((message) => toPiece('system', message)),
      messages: rest.map((message) => toPiece(describeRole(message), message)),
    };
  },
};

/** Removes Anthropic's marks from tools, blocks and bodies. */
export function withoutAnthropicMarks(value: unknown): unknown {
  return mapBlocks(value, (block) => omitKeys(block, 'cache_control'));
}

/** Removes OpenAI's marks for breakpoints from content. Cache keys are outside of the input. */
export function withoutOpenAiMarks(value: unknown): unknown {
  return mapBlocks(value, (block) => omitKeys(block, 'prompt_cache_breakpoint'));
}

/**
 * Removes Anthropic's marks from chat completions for Claude. A text that was turned into a list for its mark
 * becomes a text again.
 */
export function withoutChatMarks(value: unknown): unknown {
  const plain = mapBlocks(value, (block) => omitKeys(block, 'cache_control', 'prompt_cache_breakpoint'));
  if (!isRecord(plain) || !isRecord(value) || !Array.isArray(plain.content)) return plain;
  const [only, ...more]: readonly unknown[] = plain.content;
  const isMarked = JSON.stringify(value.content) !== JSON.stringify(plain.content);
  if (!isMarked || more.length > 0 || !isRecord(only) || only.type !== 'text') return plain;
  return { ...plain, content: only.text };
}

/**
 * Applies a change to a tool or a message, and to the blocks of its content, recursively. Does not change the
 * model's text.
 */
function mapBlocks(value: unknown, change: (block: Json) => Json): unknown {
  if (!isRecord(value)) return value;
  const changed = change(value);
  return Object.fromEntries(
    Object.entries(changed).map(([name, inner]) => [
      name,
      (name === 'content' || name === 'output') && Array.isArray(inner)
        ? inner.map((block) => mapBlocks(block, change))
        : inner,
    ]),
  );
}

const omitKeys = (value: Json, ...marks: readonly string[]): Json =>
  Object.fromEntries(Object.entries(value).filter(([name]) => !marks.includes(name)));

const HEAD_ROLES: ReadonlySet<unknown> = new Set(['system', 'developer']);

/** Separates the system messages at the start from all other messages. */
function withoutHead(messages: readonly unknown[]): {
  readonly head: readonly unknown[];
  readonly rest: readonly unknown[];
} {
  const first = messages.findIndex((message) => !isRecord(message) || !HEAD_ROLES.has(message.role));
  const at = first === -1 ? messages.length : first;
  return { head: messages.slice(0, at), rest: messages.slice(at) };
}

const toPiece = (key: string, value: unknown): Piece => ({ key, text: JSON.stringify(value) });

function listSystemTexts(system: unknown): readonly unknown[] {
  return typeof system === 'string' ? [{ type: 'text', text: system }] : toList(system);
}

function readMessages(messages: unknown): readonly unknown[] {
  if (!Array.isArray(messages)) throw new Error('The request has no list of messages.');
  return messages;
}

function getToolName(tool: unknown): string {
  if (!isRecord(tool)) return 'tool';
  const { name, type, function: ofChat } = tool;
  if (typeof name === 'string') return name;
  return isRecord(ofChat) ? getToolName(ofChat) : String(type);
}

/** Returns the role of a message. Items of the Responses API without a role have a type. */
function describeRole(message: unknown): string {
  if (!isRecord(message)) return 'message';
  const { role, type, content } = message;
  const blocks = toList(content).filter(isRecord);
  const tells = blocks.some((block) => block.type === 'tool_addition' || block.type === 'tool_removal');
  if (type === 'additional_tools' || (role === 'system' && tells)) return LATE_TOOLS_KEY;
  return typeof role === 'string' ? role : String(type);
}

const toList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const isRecord = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
