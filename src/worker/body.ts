import { isJsonObject, type JsonObject } from '../tool/json.ts';
import { ended } from '../tool/shown.ts';
import { Problem, SessionError } from './problem.ts';

/** A body's text beside its value: an idempotency key is bound to the text. */
interface Body {
  readonly text: string;
  readonly value: JsonObject;
}

/** Answers which of these types a request says that its body has. @throws Problem 415 when it says none of them. */
export function bodyType<Type extends string>({ headers }: Request, types: readonly Type[]): Type {
  const said = (headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase();
  const type = types.find((one) => one === said);
  if (type !== undefined) return type;
  throw new Problem('unsupported-media-type', `Send the body as ${types.join(' or ')}.`, {
    headers: { accept: types.join(', ') },
  });
}

/**
 * Reads a body that is a JSON object. `mustFit` sees its text before it is parsed. @throws Problem 415, 413, 400 or 422, and what `mustFit`
 * throws.
 */
export async function readBody(
  request: Request,
  maxBytes: number,
  mustFit?: (text: string) => void,
): Promise<Body> {
  bodyType(request, ['application/json']);
  const text = await readText(request, maxBytes);
  mustFit?.(text);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Problem('bad-json', 'The body is not JSON.');
  }
  if (isJsonObject(value)) return { text, value };
  throw invalidBody(['it must be a JSON object']);
}

/** Tells that all of a body but its files is too large. */
export const besidesFiles = (most: number): SessionError =>
  new SessionError(
    'body-too-large',
    `Besides its files, the body is larger than ${most} bytes. Send less, or long text as a file.`,
  );

/** Tells everything that is wrong with a body. */
export const invalidBody = (problems: readonly string[]): SessionError =>
  new SessionError('invalid-body', `The body is not valid: ${ended(problems.join('; '))}`, {
    more: { problems },
  });

async function readText(request: Request, maxBytes: number): Promise<string> {
  const bytes = await readBytes(request, maxBytes);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    throw new Problem('bad-json', 'The body is not UTF-8.');
  }
}

const FIRST_BYTES = 16_384;

/**
 * A body as it was sent, read up to the chunk that makes it too much: what a client announces need not be what it sends. Chunks are copied
 * as they come: each is a view of a buffer that the platform made for it, often thousands of times as large, which whoever keeps the chunk
 * keeps. @throws Problem 413, or 400 when it breaks off.
 */
export async function readBytes(request: Request, maxBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) throw tooLarge(maxBytes);
  let bytes = new Uint8Array(Math.min(FIRST_BYTES, maxBytes));
  let length = 0;
  try {
    for await (const chunk of request.body ?? []) {
      const needed = length + chunk.byteLength;
      if (needed > maxBytes) throw tooLarge(maxBytes);
      if (needed > bytes.byteLength) {
        const larger = new Uint8Array(Math.min(Math.max(2 * bytes.byteLength, needed), maxBytes));
        larger.set(bytes);
        bytes = larger;
      }
      bytes.set(chunk, length);
      length = needed;
    }
  } catch (thrown) {
    throw thrown instanceof Problem ? thrown : new Problem('bad-json', 'The body broke off before its end.');
  }
  return bytes.slice(0, length);
}

const tooLarge = (most: number): Problem =>
  new Problem('body-too-large', `The body is larger than ${most} bytes. Send less.`);
