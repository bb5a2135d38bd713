import { type JsonObject, isJsonObject } from '../tools/json.ts';
import type { InputSchema } from '../tools/input-schema.ts';
import { Problem } from './problem.ts';

/** A body's text beside its value: an idempotency key is bound to the text. */
export interface Body<T> {
  readonly text: string;
  readonly value: T;
}

/**
 * Reads a JSON body and checks it against a schema.
 *
 * @throws Problem 415, 413, 400 or 422; the last lists everything that is wrong.
 */
export async function readBody<T>(request: Request, schema: InputSchema<T>, maxBytes: number): Promise<Body<T>> {
  const mediaType = (request.headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase();
  if (mediaType !== 'application/json') {
    throw new Problem(415, 'unsupported-media-type', 'Send the body as application/json.', {
      headers: { accept: 'application/json' },
    });
  }
  const text = await readText(request, maxBytes);
  const checked = await schema.parse(parseObject(text));
  if (checked.ok) return { text, value: checked.value };
  throw new Problem(422, 'invalid-body', `The body is not valid: ${checked.problems.join('; ')}`, {
    more: { problems: checked.problems },
  });
}

function parseObject(text: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Problem(400, 'bad-json', 'The body is not JSON.');
  }
  if (isJsonObject(value)) return value;
  throw new Problem(422, 'invalid-body', 'The body is not valid: it must be a JSON object', {
    more: { problems: ['it must be a JSON object'] },
  });
}

async function readText(request: Request, maxBytes: number): Promise<string> {
  const tooLarge = (): Problem =>
    new Problem(413, 'body-too-large', `The body is larger than ${maxBytes} bytes. Send less.`);
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) throw tooLarge();
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for await (const chunk of request.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) throw tooLarge();
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
