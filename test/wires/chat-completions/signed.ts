/** The dialects with signatures: `reasoning_details` of OpenRouter and `extra_content` of Gemini. */
import {
  computeFingerprint,
  createOwnRefusal,
  formatCanonicalJson,
  isRecord,
  RefusalError,
  type ScriptedReply,
  splitText,
} from '../wire.ts';
import { openAIMedia, openRouterMedia } from './media.ts';
import type { Dialect } from './messages.ts';

export type OpenRouterDetail = 'text' | 'summary' | 'encrypted';

/** Returns the details of a reply's reasoning, in order. */
export type OpenRouterDetails = (reply: ScriptedReply) => readonly OpenRouterDetail[];

/**
 * The details of replies with calls alternate: signed text, a summary with encrypted reasoning, and encrypted
 * reasoning only.
 */
export const openRouterDetails: OpenRouterDetails = ({ at, calls }) => {
  if (calls.length === 0) return ['text'];
  const kinds: readonly (readonly OpenRouterDetail[])[] = [['text'], ['summary', 'encrypted'], ['encrypted']];
  return kinds[at % kinds.length] ?? [];
};

type Detail = Readonly<Record<string, unknown>> & { readonly type: `reasoning.${OpenRouterDetail}` };

export function openRouterDialect(kindsOf: OpenRouterDetails, seed: string): Dialect {
  const createDetails = (reply: ScriptedReply): readonly Detail[] =>
    reply.thinking === ''
      ? []
      : kindsOf(reply).map((kind, index) => createDetail(reply, kind, { seed, index }));
  return {
    media: openRouterMedia,
    ofMessage: (reply) => ({ reasoning: reply.thinking || null, reasoning_details: createDetails(reply) }),
    deltas: (reply) => {
      const details = createDetails(reply).flatMap(splitDetail);
      const pieces = details.map((detail) => ({ content: '', reasoning_details: [detail] }));
      return pieces.length > 0 ? pieces : [{ content: '', reasoning_details: [] }];
    },
    ofCall: () => ({}),
    check({ sent, index, reply }) {
      const given = createDetails(reply);
      if (formatCanonicalJson(sent.reasoning_details) === formatCanonicalJson(given)) return;
      const back: readonly unknown[] = Array.isArray(sent.reasoning_details) ? sent.reasoning_details : [];
      const lost = given.find(
        (detail, place) => formatCanonicalJson(back[place]) !== formatCanonicalJson(detail),
      );
      throw new RefusalError(400, formatUpstreamWords(lost, index));
    },
    checkForeign({ sent, index }) {
      if (sent.reasoning_details != null || sent.reasoning != null)
        throw createOwnRefusal(`messages[${index}] holds what another model has thought`);
    },
    errorBody: (status, message) => ({
      error: {
        message: 'Provider returned error',
        code: status,
        metadata: { provider_name: 'Upstream', raw: JSON.stringify({ error: { message } }) },
      },
    }),
  };
}

function createDetail(
  { at, thinking }: ScriptedReply,
  kind: OpenRouterDetail,
  { seed, index }: { readonly seed: string; readonly index: number },
): Detail {
  const words = index === 0 ? thinking : `${thinking} (thought ${index + 1})`;
  const createOpaque = (length: number) => computeFingerprint(['detail', seed, kind, at, index], length);
  switch (kind) {
    case 'text':
      return {
        type: 'reasoning.text',
        text: words,
        signature: createOpaque(120),
        format: 'anthropic-claude-v1',
        index,
      };
    case 'summary':
      return { type: 'reasoning.summary', summary: words, format: 'openai-responses-v1', index };
    case 'encrypted':
      return {
        type: 'reasoning.encrypted',
        data: `gAAAAAB${createOpaque(193)}`,
        id: `rs_${createOpaque(48)}`,
        format: 'openai-responses-v1',
        index,
      };
  }
}

/** Returns a detail as stream pieces. The last piece of a text contains its signature and no text. */
function splitDetail(detail: Detail): readonly Detail[] {
  switch (detail.type) {
    case 'reasoning.text': {
      const { text, signature, ...rest } = detail;
      return [...splitText(String(text)).map((piece) => ({ ...rest, text: piece })), { ...rest, signature }];
    }
    case 'reasoning.summary':
      return splitText(String(detail.summary)).map((summary) => ({ ...detail, summary }));
    case 'reasoning.encrypted':
      return [detail];
  }
}

/** Returns the error in the form of the upstream provider, because OpenRouter forwards it. */
function formatUpstreamWords(lost: Detail | undefined, index: number): string {
  switch (lost?.type) {
    case undefined:
      return 'The `reasoning_content` in the thinking mode must be passed back to the API.';
    case 'reasoning.text':
      return `messages.${index}: \`thinking\` or \`redacted_thinking\` blocks in the latest assistant message cannot be modified.`;
    case 'reasoning.summary':
    case 'reasoning.encrypted':
      return `The encrypted content of messages[${index}] could not be verified.`;
  }
}

interface GeminiDialect {
  readonly replies: readonly ScriptedReply[];
  readonly seed: string;
  readonly signedAnswers: boolean;
}

/**
 * The signatures of Gemini's OpenAI-compatible endpoint: on the first call of a reply, and on a text answer.
 */
export function createGeminiDialect({ replies, seed, signedAnswers }: GeminiDialect): Dialect {
  const createSignature = ({ at }: ScriptedReply) => `Cs${computeFingerprint(['thought', seed, at], 118)}`;
  const createSignedContent = (signature: string) => ({
    extra_content: { google: { thought_signature: signature } },
  });
  const known = new Set(replies.map(createSignature));
  const createMessageFields = (reply: ScriptedReply) =>
    reply.calls.length > 0 ? {} : createSignedContent(createSignature(reply));
  return {
    media: openAIMedia,
    ofMessage: createMessageFields,
    deltas: (reply) => [{ content: '', ...createMessageFields(reply) }],
    ofCall: (reply, index) => (index === 0 ? createSignedContent(createSignature(reply)) : {}),
    check({ sent, index, reply, isInCurrentTurn }) {
      const calls: readonly unknown[] = Array.isArray(sent.tool_calls) ? sent.tool_calls : [];
      const holders = calls.length > 0 ? calls : [sent];
      for (const [place, holder] of holders.entries()) {
        const back = findSignature(holder);
        const given = place === 0 ? createSignature(reply) : undefined;
        if (back === given) continue;
        if (back !== undefined) throw createWrongSignature(back, known);
        if (calls.length > 0 && isInCurrentTurn)
          throw createMissingSignature(reply.calls[place]?.name, index);
        if (calls.length === 0 && signedAnswers)
          throw createOwnRefusal(`the extra_content of messages[${index}] is missing`);
      }
    },
    checkForeign({ sent, index, isInCurrentTurn }) {
      const [first, ...more]: readonly unknown[] = Array.isArray(sent.tool_calls) ? sent.tool_calls : [];
      const back = findSignature(first);
      if (back === undefined && isInCurrentTurn) throw createMissingSignature(findCallName(first), index);
      if (back !== undefined && back !== sentinel) throw createWrongSignature(back, known);
      if (more.some((call) => findSignature(call) !== undefined))
        throw createOwnRefusal(`a later call of messages[${index}] is signed`);
    },
    errorBody: (code, message) => [{ error: { code, message, status: 'INVALID_ARGUMENT' } }],
  };
}

/** The signature that clients send for calls that the model did not make. */
const sentinel = 'skip_thought_signature_validator';

function findCallName(call: unknown): string | undefined {
  const called = isRecord(call) && isRecord(call.function) ? call.function : {};
  return typeof called.name === 'string' ? called.name : undefined;
}

function findSignature(holder: unknown): unknown {
  const content = isRecord(holder) ? holder.extra_content : undefined;
  const google = isRecord(content) ? content.google : undefined;
  return isRecord(google) ? google.thought_signature : undefined;
}

/** Returns the error for a signature that is unreadable or belongs to another place. */
function createWrongSignature(back: unknown, known: ReadonlySet<unknown>): RefusalError {
  return new RefusalError(
    400,
    known.has(back) ? 'Invalid thought signature.' : 'Corrupted thought signature.',
  );
}

function createMissingSignature(name: string | undefined, index: number): RefusalError {
  return new RefusalError(
    400,
    'Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, ' +
      'and missing thought_signature may lead to degraded model performance. Additional data, function call ' +
      `\`default_api:${name}\` , position ${index + 1}. ` +
      'Please refer to https://ai.google.dev/gemini-api/docs/thought-signatures for more details.',
  );
}
