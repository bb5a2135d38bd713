/**
 * The dialects with reasoning as plain text: `reasoning_content` of DeepSeek and Kimi, and `reasoning` of vLLM,
 * Workers AI and Groq.
 */

import { createOwnRefusal, RefusalError, type ScriptedReply, splitText } from '../wire.ts';
import { openAIMedia } from './media.ts';
import type { Dialect } from './messages.ts';
import {
  createGeminiDialect,
  type OpenRouterDetails,
  openRouterDetails,
  openRouterDialect,
} from './signed.ts';

/**
 * - `deepseek`: `reasoning_content`, required in all later requests for turns with calls, even if empty;
 * - `kimi`: `reasoning_content`, required with the calls of the current turn;
 * - `reasoning`: `reasoning`, required under this name; real servers do not check it, so the error is this
 *   wire's own;
 * - `openrouter`: `reasoning_details`, required completely and in order, even if empty;
 * - `gemini`: `extra_content` with a signature on the first call of a reply, required in the current turn.
 */
export type ChatDialectName = 'deepseek' | 'kimi' | 'reasoning' | 'openrouter' | 'gemini';

export interface DialectOptions {
  /**
   * Determines ids, signatures and opaque data, so that wires with different seeds refuse each other's data.
   */
  readonly seed?: string;
  /** For `openrouter` only: selects the reasoning details of a reply with thinking. */
  readonly details?: OpenRouterDetails;
  /** For `gemini` only: requires the signature of a text answer, which the provider only recommends. */
  readonly signedAnswers?: boolean;
}

export function createDialect(
  name: ChatDialectName,
  replies: readonly ScriptedReply[],
  { seed = name, details = openRouterDetails, signedAnswers = false }: DialectOptions,
): Dialect {
  switch (name) {
    case 'deepseek':
      return createDeepSeekDialect(replies);
    case 'kimi':
      return kimiDialect;
    case 'reasoning':
      return reasoningDialect;
    case 'openrouter':
      return openRouterDialect(details, seed);
    case 'gemini':
      return createGeminiDialect({ replies, seed, signedAnswers });
  }
}

/** Sends thinking in a text field, as a whole or in pieces. The first piece is empty. */
const createPlainThinking = (field: string): Omit<Dialect, 'check' | 'checkForeign'> => ({
  media: openAIMedia,
  ofMessage: ({ thinking }) => ({ [field]: thinking }),
  deltas: ({ thinking }) => ['', ...splitText(thinking)].map((piece) => ({ content: null, [field]: piece })),
  ofCall: () => ({}),
  errorBody: (status, message) => ({
    error: {
      message,
      type: 'invalid_request_error',
      param: null,
      code: status === 400 ? 'invalid_request_error' : null,
    },
  }),
});

function createDeepSeekDialect(replies: readonly ScriptedReply[]): Dialect {
  const turnsWithCalls = new Set(replies.filter(({ calls }) => calls.length > 0).map(({ turn }) => turn));
  return {
    ...createPlainThinking('reasoning_content'),
    media: { message: ['image_url'], result: ['image_url'] },
    check({ sent, reply }) {
      if (!turnsWithCalls.has(reply.turn) || sent.reasoning_content === reply.thinking) return;
      throw new RefusalError(
        400,
        'The `reasoning_content` in the thinking mode must be passed back to the API.',
      );
    },
    checkForeign({ sent, index }) {
      if (typeof sent.reasoning_content !== 'string')
        throw new RefusalError(
          400,
          'The `reasoning_content` in the thinking mode must be passed back to the API.',
        );
      refuseThoughts(sent, index);
    },
  };
}

/** Refuses the thinking of another model. */
function refuseThoughts(sent: Readonly<Record<string, unknown>>, index: number): void {
  const thought = [sent.reasoning_content, sent.reasoning, sent.reasoning_details].filter(
    (one) => one != null && String(one).trim() !== '',
  );
  if (thought.length > 0) throw createOwnRefusal(`messages[${index}] holds what another model has thought`);
}

const kimiDialect: Dialect = {
  ...createPlainThinking('reasoning_content'),
  check({ sent, index, reply, isInCurrentTurn }) {
    const back = sent.reasoning_content;
    if (back === reply.thinking) return;
    if (isInCurrentTurn && reply.calls.length > 0) {
      const where = `assistant tool call message at index ${index}`;
      throw new RefusalError(400, `thinking is enabled but reasoning_content is missing in ${where}`);
    }
    if (back != null) throw createOwnRefusal(`the reasoning_content of messages[${index}] is another`);
  },
  checkForeign({ sent, index, isInCurrentTurn }) {
    // An empty text is treated as missing.
    if (isInCurrentTurn && (sent.reasoning_content ?? '') === '') {
      const where = `assistant tool call message at index ${index}`;
      throw new RefusalError(400, `thinking is enabled but reasoning_content is missing in ${where}`);
    }
    refuseThoughts(sent, index);
  },
};

const reasoningDialect: Dialect = {
  ...createPlainThinking('reasoning'),
  check({ sent, index, reply }) {
    if (sent.reasoning === reply.thinking) return;
    const where = sent.reasoning === undefined && sent.reasoning_content !== undefined;
    const what = where
      ? 'stands in `reasoning_content`'
      : sent.reasoning === undefined
        ? 'is missing'
        : 'is another';
    throw createOwnRefusal(`the \`reasoning\` of messages[${index}] ${what}`);
  },
  checkForeign: ({ sent, index }) => refuseThoughts(sent, index),
};
