/** A strict local server for Anthropic's `POST /v1/messages`, as JSON and as a stream. */
import { groupMessages, isThinking } from './anthropic/conversation.ts';
import { checkHeld } from './anthropic/held.ts';
import { checkMedia, collectFiles } from './anthropic/media.ts';
import { checkPairs } from './anthropic/pairs.ts';
import { PrefixReader, readConversation } from './anthropic/prefix.ts';
import {
  type AnthropicVariant,
  type Casting,
  createBlocks,
  findPause,
  indexThinking,
  signThinking,
} from './anthropic/replies.ts';
import { type AnthropicBlock, type AnthropicBody, parseBody, readBody } from './anthropic/request.ts';
import { streamEvents, toMessage } from './anthropic/response.ts';
import { checkSettings } from './anthropic/settings.ts';
import { bindingBeta, checkPrefixes } from './anthropic/thinking.ts';
import { collectToolsAtEnd } from './anthropic/tools.ts';
import { hashFiles, type SentFile } from './files.ts';
import {
  createEventStream,
  createJsonResponse,
  createOwnRefusal,
  createStrictWire,
  getAnswerReply,
  getReply,
  listReplies,
  RefusalError,
  type Script,
  type ScriptedReply,
  type Wire,
  type WireRequest,
} from './wire.ts';

export type { AnthropicVariant } from './anthropic/replies.ts';

export interface AnthropicWireOptions {
  readonly script: Script;
  /** Determines ids and signatures, so that wires with different seeds refuse each other's data. */
  readonly seed?: string;
  /**
   * If `true`, the model binds its thinking to the whole prefix, like the newest Claude models. Defaults to
   * `false`.
   */
  readonly preserved?: boolean;
  /** The kinds of additional content in replies. Defaults to all default variants. */
  readonly variants?: readonly AnthropicVariant[];
  /** The seeds of other models whose thinking this model can read, as Claude models do. */
  readonly readableSeeds?: readonly string[];
  /** If `true`, the current turn may omit all thinking. Used for clients that have a reason to omit it. */
  readonly mayOmitThinking?: boolean;
}

const allVariants: readonly AnthropicVariant[] = [
  'redacted',
  'interleaved',
  'empty-thinking',
  'server-tools',
];

/** Creates a wire that behaves like Claude with thinking and makes the same checks. */
export function createAnthropicWire(options: AnthropicWireOptions): Wire {
  const {
    script,
    seed = 'anthropic',
    preserved = false,
    variants = allVariants,
    readableSeeds: kin = [],
    mayOmitThinking = false,
  } = options;
  const replies = listReplies(script);
  const casting: Casting = { seed, kin, variants: new Set(variants) };
  return createStrictWire({
    name: preserved ? 'anthropic (preserved thinking)' : 'anthropic',
    errorBody: createErrorBody,
    answer(request) {
      const body = parseBody(request);
      const betas = parseBetas(request);
      checkSettings(body, betas);
      checkMedia(body);
      const conversation = groupMessages(body);
      checkBeginning(conversation);
      checkPairs(conversation);
      const tools = collectToolsAtEnd(body, conversation);
      const next = checkHeld({ replies, casting, body, conversation, mayOmitThinking });
      const bindingControls = betas.has(bindingBeta);
      const dropped = checkPrefixes({ seed, kin, body, conversation, preserved, bindingControls });
      const reply = filterSayable(replies, getReply(replies, next.at), { body, tools });
      const content = createContent(reply, body, { casting, given: next.given });
      const message = { body, reply, content, id: `msg_01${seed}${reply.at}` };
      const report = bindingControls ? { ...message, transformations: dropped } : message;
      return body.stream === true
        ? createEventStream(streamEvents(report))
        : createJsonResponse(toMessage(report));
    },
  });
}

/** Returns the files in a request to this wire, in order. */
export const readAnthropicFiles = (body: unknown): Promise<readonly SentFile[]> =>
  hashFiles(collectFiles(readBody(body)));

/** Checks that a conversation begins with a user message. */
function checkBeginning(conversation: ReturnType<typeof groupMessages>): void {
  if (conversation.length === 0) throw new RefusalError(400, 'messages: at least one message is required');
  if (conversation[0]?.role === 'assistant') {
    throw new RefusalError(400, 'messages: first message must use the "user" role');
  }
}

/** Returns the scripted reply, or the turn's answer if the request does not allow calls. */
function filterSayable(
  replies: readonly ScriptedReply[],
  reply: ScriptedReply,
  { body, tools }: { readonly body: AnthropicBody; readonly tools: ReadonlySet<string> },
): ScriptedReply {
  if (tools.size === 0 || body.tool_choice?.type === 'none') return getAnswerReply(replies, reply);
  const missing = reply.calls.find(({ name }) => !tools.has(name));
  if (missing === undefined) return reply;
  throw createOwnRefusal(`the script calls \`${missing.name}\`, which the model cannot call in this request`);
}

/**
 * Returns the blocks of the response. A paused reply returns the blocks before its pause, and the next request
 * returns the others.
 */
function createContent(
  reply: ScriptedReply,
  body: AnthropicBody,
  { casting, given }: { readonly casting: Casting; readonly given: number },
): readonly AnthropicBlock[] {
  const thinks = body.thinking?.type === 'enabled' || body.thinking?.type === 'adaptive';
  const searches = body.tools?.some(({ type }) => type?.startsWith('web_search_') === true) === true;
  const variants = new Set([...casting.variants].filter((variant) => searches || variant !== 'server-tools'));
  const blocks = createBlocks(reply, { seed: casting.seed, variants });
  const indexes = indexThinking(blocks);
  const reader = new PrefixReader(body);
  readConversation(reader, groupMessages(body), () => undefined);
  if (given === 0) reader.readSide({ role: 'assistant' });
  const end = given === 0 ? findPause(blocks, casting) : undefined;
  const content: AnthropicBlock[] = [];
  for (let at = given; at < (end ?? blocks.length); at += 1) {
    const [block, index] = [blocks[at], indexes[at]];
    if (block === undefined || (isThinking(block) && !thinks)) continue;
    const place = { at: reply.at, index: index ?? 0, prefix: reader.prefix };
    const said = isThinking(block) ? signThinking(block, casting.seed, place) : block;
    reader.readBlock(said);
    content.push(said);
  }
  return content;
}

function parseBetas({ headers }: WireRequest): ReadonlySet<string> {
  return new Set((headers.get('anthropic-beta') ?? '').split(',').map((beta) => beta.trim()));
}

const errorTypes: Readonly<Record<number, string>> = { 401: 'authentication_error', 404: 'not_found_error' };

function createErrorBody(status: number, message: string): unknown {
  return { type: 'error', error: { type: errorTypes[status] ?? 'invalid_request_error', message } };
}
