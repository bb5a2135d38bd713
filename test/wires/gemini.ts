/** A strict local server of Gemini's `generateContent` and `streamGenerateContent?alt=sse`. */
import { hashFiles, type SentFile } from './files.ts';
import { checkHeld } from './gemini/held.ts';
import { collectFiles } from './gemini/media.ts';
import { checkPairs } from './gemini/pairs.ts';
import { type Casting, createParts, createReplyExtras, type GeminiVariant } from './gemini/replies.ts';
import {
  type GeminiBody,
  type GeminiPart,
  type GeminiRequest,
  parseGeminiRequest,
  readBody,
} from './gemini/request.ts';
import {
  computeFingerprint,
  createEventStream,
  createJsonResponse,
  createOwnRefusal,
  createStrictWire,
  getAnswerReply,
  getReply,
  listReplies,
  type Script,
  type ScriptedReply,
  type StreamEvent,
  splitText,
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
  const replies = listReplies(script);
  const casting: Casting = { seed, variants: new Set(variants) };
  return createStrictWire({
    name: 'gemini',
    errorBody: createErrorBody,
    answer(wireRequest) {
      const request = parseGeminiRequest(wireRequest);
      const { contents } = request.body;
      checkPairs(contents);
      const next = checkHeld({ replies, casting, contents, mayOmitThinking });
      const reply = filterSayable(replies, getReply(replies, next), request.body);
      const thoughts = request.body.generationConfig?.thinkingConfig?.includeThoughts === true;
      const parts = createParts(
        reply,
        casting,
        createReplyExtras(reply, casting, { thoughts, streams: request.streams }),
      );
      const answer: GeminiAnswer = { request, reply, parts };
      return request.streams
        ? createEventStream(streamEvents(answer))
        : createJsonResponse(createChunkBody(answer, parts, true));
    },
  });
}

/** Returns the files in a request to this wire, in order. */
export const readGeminiFiles = (body: unknown): Promise<readonly SentFile[]> =>
  hashFiles(collectFiles(readBody(body)));

/** Returns the scripted reply, or the turn's answer if the request does not allow calls. */
function filterSayable(
  replies: readonly ScriptedReply[],
  reply: ScriptedReply,
  body: GeminiBody,
): ScriptedReply {
  const declared = (body.tools ?? []).flatMap(({ functionDeclarations }) => functionDeclarations ?? []);
  if (declared.length === 0 || body.toolConfig?.functionCallingConfig?.mode === 'NONE') {
    return getAnswerReply(replies, reply);
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
function* streamEvents(answer: GeminiAnswer): Iterable<StreamEvent> {
  const pieces = answer.parts.flatMap(splitPart);
  for (const [index, part] of pieces.entries()) {
    yield { data: createChunkBody(answer, [part], index === pieces.length - 1) };
  }
}

function splitPart(part: GeminiPart): readonly GeminiPart[] {
  if (part.text === undefined || part.text === '') return [part];
  const { text, thoughtSignature, ...rest } = part;
  const pieces: GeminiPart[] = splitText(text).map((piece) => ({ ...rest, text: piece }));
  return thoughtSignature === undefined ? pieces : [...pieces, { ...rest, text: '', thoughtSignature }];
}

function createChunkBody(
  { request, reply }: GeminiAnswer,
  parts: readonly GeminiPart[],
  last: boolean,
): object {
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
    responseId: computeFingerprint(['gemini response', reply.at], 20),
  };
}

const statuses: Readonly<Record<number, string>> = { 403: 'PERMISSION_DENIED', 404: 'NOT_FOUND' };

function createErrorBody(status: number, message: string): unknown {
  return { error: { code: status, message, status: statuses[status] ?? 'INVALID_ARGUMENT' } };
}
