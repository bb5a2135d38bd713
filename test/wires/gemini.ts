/** A strict local server of Gemini's `generateContent` and `streamGenerateContent?alt=sse`. */
import { hashFiles, type SentFile } from './files.ts';
import { checkHeld } from './gemini/held.ts';
import { filesIn } from './gemini/media.ts';
import { checkPairs } from './gemini/pairs.ts';
import { type Casting, type GeminiVariant, givenReplyOf, partsOf } from './gemini/replies.ts';
import {
  type GeminiBody,
  type GeminiPart,
  type GeminiRequest,
  readBody,
  requestOf,
} from './gemini/request.ts';
import {
  answerOf,
  createOwnRefusal,
  eventStream,
  fingerprint,
  jsonResponse,
  piecesOf,
  repliesOf,
  replyAfter,
  type Script,
  type ScriptedReply,
  type StreamEvent,
  strictWire,
  type Wire,
} from './wire.ts';

export type { GeminiVariant } from './gemini/replies.ts';

export interface GeminiWireOptions {
  readonly script: Script;
  /** Determines ids and signatures, so that wires with different seeds refuse each other's data. */
  readonly seed?: string;
  /** The kinds of additional content in replies. Defaults to all variants. */
  readonly variants?: readonly GeminiVariant[];
  /** If `true`, the current turn may omit its thought summaries, which the API allows. */
  readonly mayOmitThinking?: boolean;
}

const allVariants: readonly GeminiVariant[] = ['call-ids', 'signed-thoughts', 'signed-end'];

/** Creates a wire that behaves like Gemini 3 and makes the same checks. */
export function createGeminiWire(options: GeminiWireOptions): Wire {
  const { script, seed = 'gemini', variants = allVariants, mayOmitThinking = false } = options;
  const replies = repliesOf(script);
  const casting: Casting = { seed, variants: new Set(variants) };
  return strictWire({
    name: 'gemini',
    errorBody,
    answer(wireRequest) {
      const request = requestOf(wireRequest);
      const { contents } = request.body;
      checkPairs(contents);
      const next = checkHeld({ replies, casting, contents, mayOmitThinking });
      const reply = filterSayable(replies, replyAfter(replies, next), request.body);
      const thoughts = request.body.generationConfig?.thinkingConfig?.includeThoughts === true;
      const parts = partsOf(
        reply,
        casting,
        givenReplyOf(reply, casting, { thoughts, streams: request.streams }),
      );
      const answer: GeminiAnswer = { request, reply, parts };
      return request.streams ? eventStream(eventsOf(answer)) : jsonResponse(chunkOf(answer, parts, true));
    },
  });
}

/** Returns the files in a request to this wire, in order. */
export const filesToGemini = (body: unknown): Promise<readonly SentFile[]> =>
  hashFiles(filesIn(readBody(body)));

/** Returns the scripted reply, or the turn's answer if the request does not allow calls. */
function filterSayable(
  replies: readonly ScriptedReply[],
  reply: ScriptedReply,
  body: GeminiBody,
): ScriptedReply {
  const declared = (body.tools ?? []).flatMap(({ functionDeclarations }) => functionDeclarations ?? []);
  if (declared.length === 0 || body.toolConfig?.functionCallingConfig?.mode === 'NONE') {
    return answerOf(replies, reply);
  }
  const missing = reply.calls.find(({ name }) => !declared.some((tool) => tool.name === name));
  if (missing === undefined) return reply;
  throw createOwnRefusal(`the script calls \`${missing.name}\`, which the model cannot call in this request`);
}

interface GeminiAnswer {
  readonly request: GeminiRequest;
  readonly reply: ScriptedReply;
  readonly parts: readonly GeminiPart[];
}

/** Yields the events of a stream. A text is split into pieces, and its signature follows on an empty piece. */
function* eventsOf(answer: GeminiAnswer): Iterable<StreamEvent> {
  const pieces = answer.parts.flatMap(streamedPart);
  for (const [index, part] of pieces.entries()) {
    yield { data: chunkOf(answer, [part], index === pieces.length - 1) };
  }
}

function streamedPart(part: GeminiPart): readonly GeminiPart[] {
  if (part.text === undefined || part.text === '') return [part];
  const { text, thoughtSignature, ...rest } = part;
  const pieces: GeminiPart[] = piecesOf(text).map((piece) => ({ ...rest, text: piece }));
  return thoughtSignature === undefined ? pieces : [...pieces, { ...rest, text: '', thoughtSignature }];
}

function chunkOf({ request, reply }: GeminiAnswer, parts: readonly GeminiPart[], last: boolean): object {
  return {
    candidates: [{ content: { parts, role: 'model' }, ...(last && { finishReason: 'STOP' }), index: 0 }],
    usageMetadata: {
      promptTokenCount: 112 + reply.at * 100,
      cachedContentTokenCount: reply.at * 100,
      candidatesTokenCount: 20,
      thoughtsTokenCount: 10,
      totalTokenCount: 142 + reply.at * 100,
    },
    modelVersion: request.model,
    responseId: fingerprint(['gemini response', reply.at], 20),
  };
}

const statuses: Readonly<Record<number, string>> = { 403: 'PERMISSION_DENIED', 404: 'NOT_FOUND' };

function errorBody(status: number, message: string): unknown {
  return { error: { code: status, message, status: statuses[status] ?? 'INVALID_ARGUMENT' } };
}
