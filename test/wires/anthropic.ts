/** A strict local server of Anthropic's `POST /v1/messages`, as JSON and as a stream. */
import { conversationOf, isThinking } from './anthropic/conversation.ts';
import { checkHeld } from './anthropic/held.ts';
import { checkMedia, foundIn } from './anthropic/media.ts';
import { checkPairs } from './anthropic/pairs.ts';
import { PrefixReader, readConversation } from './anthropic/prefix.ts';
import {
  type AnthropicVariant,
  blocksOf,
  type Casting,
  pauseIn,
  signed,
  thinkingIndexes,
} from './anthropic/replies.ts';
import { type AnthropicBlock, type AnthropicBody, bodyOf, readBody } from './anthropic/request.ts';
import { eventsOf, messageOf } from './anthropic/response.ts';
import { checkSettings } from './anthropic/settings.ts';
import { bindingBeta, checkPrefixes } from './anthropic/thinking.ts';
import { toolsAtEnd } from './anthropic/tools.ts';
import { hashed, type SentFile } from './files.ts';
import {
  answerOf,
  eventStream,
  jsonResponse,
  ownRefusal,
  Refused,
  repliesOf,
  replyAfter,
  type Script,
  type ScriptedReply,
  strictWire,
  type Wire,
  type WireRequest,
} from './wire.ts';

export type { AnthropicVariant } from './anthropic/replies.ts';

export interface AnthropicWireOptions {
  readonly script: Script;
  /** Ids and signatures follow from it, so that wires with different seeds refuse each other's. */
  readonly seed?: string;
  /** Whether the model binds its thinking to the whole prefix, as Claude's newest do. Off unless said otherwise. */
  readonly preserved?: boolean;
  /** What replies hold beside thoughts, words and calls; all of it unless said otherwise. */
  readonly variants?: readonly AnthropicVariant[];
  /** Seeds of other models whose thoughts this one reads, as one Claude does of another. */
  readonly kin?: readonly string[];
  /** Whether the current turn may come back without any thinking, where a client had a reason to leave it out. */
  readonly thinkingMayGo?: boolean;
}

const allVariants: readonly AnthropicVariant[] = [
  'redacted',
  'interleaved',
  'empty-thinking',
  'server-tools',
];

/** A wire that gives and checks what Claude with thinking gives and checks. */
export function createAnthropicWire(options: AnthropicWireOptions): Wire {
  const {
    script,
    seed = 'anthropic',
    preserved = false,
    variants = allVariants,
    kin = [],
    thinkingMayGo = false,
  } = options;
  const replies = repliesOf(script);
  const casting: Casting = { seed, kin, variants: new Set(variants) };
  return strictWire({
    name: preserved ? 'anthropic (preserved thinking)' : 'anthropic',
    errorBody,
    answer(request) {
      const body = bodyOf(request);
      const betas = betasOf(request);
      checkSettings(body, betas);
      checkMedia(body);
      const conversation = conversationOf(body);
      checkBeginning(conversation);
      checkPairs(conversation);
      const tools = toolsAtEnd(body, conversation);
      const next = checkHeld({ replies, casting, body, conversation, thinkingMayGo });
      const bindingControls = betas.has(bindingBeta);
      const dropped = checkPrefixes({ seed, kin, body, conversation, preserved, bindingControls });
      const reply = sayable(replies, replyAfter(replies, next.at), { body, tools });
      const content = contentOf(reply, body, { casting, given: next.given });
      const message = { body, reply, content, id: `msg_01${seed}${reply.at}` };
      const report = bindingControls ? { ...message, transformations: dropped } : message;
      return body.stream === true ? eventStream(eventsOf(report)) : jsonResponse(messageOf(report));
    },
  });
}

/** The files that a request of this wire held, in their order. */
export const filesToAnthropic = (body: unknown): Promise<readonly SentFile[]> =>
  hashed(foundIn(readBody(body)));

/** A conversation begins with the user's side. */
function checkBeginning(conversation: ReturnType<typeof conversationOf>): void {
  if (conversation.length === 0) throw new Refused(400, 'messages: at least one message is required');
  if (conversation[0]?.role === 'assistant') {
    throw new Refused(400, 'messages: first message must use the "user" role');
  }
}

/** The scripted reply, or its turn's words where the request lets nothing be called. */
function sayable(
  replies: readonly ScriptedReply[],
  reply: ScriptedReply,
  { body, tools }: { readonly body: AnthropicBody; readonly tools: ReadonlySet<string> },
): ScriptedReply {
  if (tools.size === 0 || body.tool_choice?.type === 'none') return answerOf(replies, reply);
  const missing = reply.calls.find(({ name }) => !tools.has(name));
  if (missing === undefined) return reply;
  throw ownRefusal(`the script calls \`${missing.name}\`, which the model cannot call in this request`);
}

/** What the wire says now: the reply's blocks with what the request asks for, from its pause on or up to it. */
function contentOf(
  reply: ScriptedReply,
  body: AnthropicBody,
  { casting, given }: { readonly casting: Casting; readonly given: number },
): readonly AnthropicBlock[] {
  const thinks = body.thinking?.type === 'enabled' || body.thinking?.type === 'adaptive';
  const searches = body.tools?.some(({ type }) => type?.startsWith('web_search_') === true) === true;
  const variants = new Set([...casting.variants].filter((variant) => searches || variant !== 'server-tools'));
  const blocks = blocksOf(reply, { seed: casting.seed, variants });
  const indexes = thinkingIndexes(blocks);
  const reader = new PrefixReader(body);
  readConversation(reader, conversationOf(body), () => undefined);
  if (given === 0) reader.readSide({ role: 'assistant' });
  const end = given === 0 ? pauseIn(blocks, casting) : undefined;
  const content: AnthropicBlock[] = [];
  for (let at = given; at < (end ?? blocks.length); at += 1) {
    const [block, index] = [blocks[at], indexes[at]];
    if (block === undefined || (isThinking(block) && !thinks)) continue;
    const place = { at: reply.at, index: index ?? 0, prefix: reader.prefix };
    const said = isThinking(block) ? signed(block, casting.seed, place) : block;
    reader.readBlock(said);
    content.push(said);
  }
  return content;
}

function betasOf({ headers }: WireRequest): ReadonlySet<string> {
  return new Set((headers.get('anthropic-beta') ?? '').split(',').map((beta) => beta.trim()));
}

const errorTypes: Readonly<Record<number, string>> = { 401: 'authentication_error', 404: 'not_found_error' };

function errorBody(status: number, message: string): unknown {
  return { type: 'error', error: { type: errorTypes[status] ?? 'invalid_request_error', message } };
}
