import type { ServerResponse } from 'node:http';
import type { Chance } from './chance.ts';
import type { AssistantMessage } from './recording.ts';

const encoder = new TextEncoder();

/**
 * Streams a reply like OpenAI, in the most difficult form that is still correct: text and arguments in small
 * deltas, and bytes in pieces that can end inside a character.
 */
export async function streamReply(
  response: ServerResponse,
  message: AssistantMessage,
  chance: Chance,
): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.socket?.setNoDelay(true);
  const text = [...createDeltas(message, chance), ...createEndChunks(message)].map(toEvent).join('');
  for (const piece of splitBytes(encoder.encode(`${text}data: [DONE]\n\n`), chance)) {
    response.write(piece);
    await new Promise((resolve) => setImmediate(resolve));
  }
  response.end();
}

const toEvent = (event: unknown): string => `data: ${JSON.stringify(event)}\n\n`;

const createChunk = (choices: readonly unknown[], more: object = {}): unknown => ({
  id: 'chatcmpl-replay',
  object: 'chat.completion.chunk',
  created: 0,
  model: 'gpt-4o',
  choices,
  ...more,
});

const createDelta = (content: unknown): unknown =>
  createChunk([{ index: 0, delta: content, finish_reason: null }]);

function createDeltas({ content, tool_calls = [] }: AssistantMessage, chance: Chance): unknown[] {
  const text = splitRandomly(content ?? '', chance).map((piece) => createDelta({ content: piece }));
  const calls = tool_calls.flatMap(({ id, type, function: { name, arguments: input } }, index) => [
    createDelta({ tool_calls: [{ index, id, type, function: { name, arguments: '' } }] }),
    ...splitRandomly(input, chance).map((piece) =>
      createDelta({ tool_calls: [{ index, function: { arguments: piece } }] }),
    ),
  ]);
  return [createDelta({ role: 'assistant', content: content === null ? null : '' }), ...text, ...calls];
}

const createEndChunks = (message: AssistantMessage): unknown[] => [
  createChunk([{ index: 0, delta: {}, finish_reason: finishReason(message) }]),
  createChunk([], { usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } }),
];

/** Returns the finish reason in OpenAI's format. */
export const finishReason = ({ tool_calls = [] }: AssistantMessage): string =>
  tool_calls.length > 0 ? 'tool_calls' : 'stop';

/** Splits a text into pieces of 1 to 12 characters. */
function splitRandomly(text: string, chance: Chance): string[] {
  const characters = [...text];
  const pieces: string[] = [];
  while (characters.length > 0) pieces.push(characters.splice(0, chance.between(1, 12)).join(''));
  return pieces;
}

/** Splits bytes into pieces of 1 to 400 bytes, with a cut inside every character of more than one byte. */
export function splitBytes(bytes: Uint8Array, chance: Chance): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  let from = 0;
  while (from < bytes.length) {
    const wanted = from + chance.between(1, 20) ** 2;
    const inside = bytes.subarray(from + 1, wanted).findIndex(isContinuation);
    const to = inside === -1 ? wanted : from + 1 + inside;
    pieces.push(bytes.subarray(from, to));
    from = to;
  }
  return pieces;
}

const isContinuation = (byte: number): boolean => (byte & 0xc0) === 0x80;
