import { DELAY_RULE, isDelay, MAX_DELAY_SECONDS } from '../tool/async.ts';
import type { ContentPart } from '../tool/content.ts';
import { isJsonObject, type Json, type JsonObject, listUnknownKeyProblems } from '../tool/json.ts';
import {
  ANY_OBJECT,
  type Infer,
  type KeysOf,
  NO_OTHER_PROPERTIES,
  OPTIONAL_TEXT,
  type Shape,
  type ShapeAs,
  TEXT,
  type WithUndefined,
} from '../tool/shape.ts';
import { withFullStop } from '../tool/shown.ts';
import { ToolCallContext, ToolCallContextError } from '../tool/tool-call-context.ts';
import type { FormField, MessageFiles, MessageForm, PartPlace, PlacedPart, SentPart } from './app-files.ts';
import { Problem, SessionError } from './problem.ts';

/** A parsed body with its text: an idempotency key is bound to the text. */
interface Body {
  readonly text: string;
  readonly value: JsonObject;
}

/** Returns which of these types the request's body has. @throws Problem 415 for any other type. */
export function getBodyType<Type extends string>({ headers }: Request, types: readonly Type[]): Type {
  const said = (headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase();
  const type = types.find((one) => one === said);
  if (type !== undefined) return type;
  throw new Problem('unsupported-media-type', `Send the body as ${types.join(' or ')}.`, {
    headers: { accept: types.join(', ') },
  });
}

/**
 * Reads a body that is a JSON object. `mustFit` checks its text before it is parsed.
 *
 * @throws Problem 415, 413, 400 or 422, and the errors of `mustFit`.
 */
export async function readBody(
  request: Request,
  maxBytes: number,
  mustFit?: (text: string) => void,
): Promise<Body> {
  getBodyType(request, ['application/json']);
  const text = await readText(request, maxBytes);
  mustFit?.(text);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Problem('bad-json', 'The body is not JSON.');
  }
  if (isJsonObject(value)) return { text, value };
  throw createInvalidBodyError(['it must be a JSON object']);
}

/** Returns the error for a body that is too large without its files. */
export const createTooLargeWithoutFilesError = (most: number): SessionError =>
  new SessionError(
    'body-too-large',
    `Without its files, the body is larger than ${most} bytes. Send less, or send long text as a file.`,
  );

export const createInvalidBodyError = (problems: readonly string[]): SessionError =>
  new SessionError('invalid-body', `The body is not valid: ${withFullStop(problems.join('; '))}`, {
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

const INITIAL_BUFFER_BYTES = 16_384;

/**
 * Reads the raw body, at most up to the chunk that exceeds the limit, since a client may send more than it
 * declares. Copies each chunk: a chunk is a view of a platform buffer that is often thousands of times as
 * large, and a reference to it keeps that buffer alive.
 *
 * @throws Problem 413, or 400 if the body is incomplete.
 */
export async function readBytes(request: Request, maxBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) throw createTooLargeProblem(maxBytes);
  let bytes = new Uint8Array(Math.min(INITIAL_BUFFER_BYTES, maxBytes));
  let length = 0;
  try {
    for await (const chunk of request.body ?? []) {
      const needed = length + chunk.byteLength;
      if (needed > maxBytes) throw createTooLargeProblem(maxBytes);
      if (needed > bytes.byteLength) {
        const larger = new Uint8Array(Math.min(Math.max(2 * bytes.byteLength, needed), maxBytes));
        larger.set(bytes);
        bytes = larger;
      }
      bytes.set(chunk, length);
      length = needed;
    }
  } catch (thrown) {
    throw thrown instanceof Problem ? thrown : new Problem('bad-json', 'The body ended early.');
  }
  return bytes.slice(0, length);
}

const createTooLargeProblem = (most: number): Problem =>
  new Problem('body-too-large', `The body is larger than ${most} bytes. Send less.`);

const CONTEXT_SHAPE: ShapeAs<JsonObject> = {
  like: ANY_OBJECT,
  says: 'Values for tools, hidden from models. The app limits the keys.',
};

const MESSAGE_OPTIONS = {
  object: {
    context: { optional: CONTEXT_SHAPE },
    loopId: { optional: { type: 'string', says: 'Continues an earlier loop.' } },
    /** Seconds until the turn starts. */
    delaySeconds: {
      optional: {
        type: 'number',
        also: { minimum: 0, maximum: MAX_DELAY_SECONDS },
        says: 'Seconds until the turn starts, after earlier turns.',
      },
    },
  },
} as const satisfies Shape;

const TEXT_PART = {
  object: { type: { only: 'text' }, text: TEXT },
  also: NO_OTHER_PROPERTIES,
} as const satisfies Shape;

/**
 * A file: with its bytes (`data`, or a data URL), or by an https `url`, which is passed on and not fetched.
 */
export const FILE_PART = {
  object: {
    type: { only: 'file' },
    mediaType: { optional: { type: 'string', says: 'Optional with a data URL.' } },
    name: OPTIONAL_TEXT,
    data: { optional: { type: 'string', says: 'In base64, or a data URL.' } },
    url: {
      optional: {
        type: 'string',
        says: 'A data URL, or an https URL that is not fetched.',
      },
    },
  },
  also: NO_OTHER_PROPERTIES,
} as const satisfies Shape;

export const MESSAGE_BODY = {
  object: {
    message: {
      anyOf: [
        { type: 'string', also: { minLength: 1 } },
        { listOf: { anyOf: [TEXT_PART, FILE_PART] }, also: { minItems: 1 } },
      ],
    },
  },
  and: MESSAGE_OPTIONS,
  also: NO_OTHER_PROPERTIES,
} as const satisfies Shape;

/** A message as a form. Fields with other names can be files, too. */
export const MESSAGE_FORM = {
  object: {
    message: OPTIONAL_TEXT,
    files: {
      optional: {
        listOf: { type: 'string', also: { format: 'binary' } },
        says: 'Files after the message.',
      },
    },
  },
  and: MESSAGE_OPTIONS,
} as const satisfies Shape;

/** A received and checked message. */
export interface ReceivedMessage extends WithUndefined<Omit<Infer<typeof MESSAGE_OPTIONS>, 'context'>> {
  readonly said: string | readonly ContentPart[];
  readonly context: ToolCallContext;
  /** The text of the body. Absent for a form, whose boundary differs on every retry. */
  readonly text?: string | undefined;
}

const FORM_TYPE = 'multipart/form-data';

interface MessageRules {
  /** The app's limit. */
  readonly maxBodyBytes: number;
  /** The allowed keys of a context. */
  readonly bodyContext?: ReadonlySet<string> | undefined;
  /** Absent if the app accepts no files. */
  readonly files: MessageFiles | undefined;
  /** The place of the parts in the body, for problems. Defaults to `message`. */
  readonly partsAt?: string | undefined;
}

/**
 * Reads a message: JSON, or a form with files.
 *
 * @throws Problem that lists all problems or the refused files, or reports that the message is too large.
 */
export async function readMessage(request: Request, checking: MessageRules): Promise<ReceivedMessage> {
  const { maxBodyBytes: besides, files } = checking;
  const most = files?.mostBytes ?? besides;
  if (files && getBodyType(request, ['application/json', FORM_TYPE]) === FORM_TYPE)
    return checkMessage(await files.readForm(request, { most, besides }), checking);
  const { text, value } = await readBody(request, most, files?.mustFit);
  return { ...checkMessage({ fields: value, files: [], problems: [] }, checking), text };
}

/**
 * Checks a message from any source. Without `bodyContext` its context can have any key.
 *
 * @throws SessionError that lists all problems or the refused files, or reports that the message is too
 * large.
 */
export function checkMessage(
  body: MessageForm,
  { maxBodyBytes, ...checking }: MessageRules,
): ReceivedMessage {
  const { files } = checking;
  const { said, ...more } = parseMessage(body, checking);
  if (typeof said === 'string') {
    const most = files?.mostBytes ?? maxBodyBytes;
    if (said.length > most) throw createTooLargeWithoutFilesError(most); // cannot happen for a body from a request
    return { said, ...more };
  }
  const words = said.flatMap(({ part }) => (part.type === 'text' ? part.text.length : []));
  if (words.reduce((sum, length) => sum + length, 0) > maxBodyBytes)
    throw createTooLargeWithoutFilesError(maxBodyBytes);
  files?.check(said);
  return { said: said.map(({ part }) => part), ...more };
}

const MESSAGE_KEYS: KeysOf<typeof MESSAGE_BODY> = { message: 1, context: 1, loopId: 1, delaySeconds: 1 };
const TEXT_PART_KEYS: KeysOf<typeof TEXT_PART> = { type: 1, text: 1 };

/** A message whose parts still have their places in the body. */
interface ParsedMessage extends Pick<ReceivedMessage, 'context' | 'loopId' | 'delaySeconds'> {
  readonly said: string | readonly PlacedPart[];
}

function parseMessage(
  { fields, files: sent, problems: found }: MessageForm,
  { bodyContext, ...taking }: Omit<MessageRules, 'maxBodyBytes'>,
): ParsedMessage {
  const { loopId, delaySeconds } = fields;
  const problems = [...found];
  const said =
    sent.length > 0
      ? appendFiles(fields.message, sent)
      : parseMessageContent(fields.message, problems, taking);
  const context = parseContext(fields.context, bodyContext);
  if (Array.isArray(context)) problems.push(...context);
  if (loopId !== undefined && !isTextMatching(loopId, /^[A-Za-z0-9_.:-]{1,128}$/)) {
    problems.push('loopId: must be 1 to 128 of the characters A-Z a-z 0-9 _ . : -');
  }
  if (delaySeconds !== undefined && !isDelay(delaySeconds)) {
    problems.push(`delaySeconds: ${DELAY_RULE}`);
  }
  problems.push(...listUnknownKeyProblems(fields, MESSAGE_KEYS));
  if (problems.length > 0) throw createInvalidBodyError(problems);
  return { said, context, loopId, delaySeconds } as ParsedMessage; // just checked
}

type PartRules = Pick<MessageRules, 'files' | 'partsAt'>;

function parseMessageContent(
  message: FormField,
  problems: string[],
  taking: PartRules,
): ParsedMessage['said'] {
  if (Array.isArray(message)) return parseParts(message, problems, taking);
  if (isTextMatching(message, /\S/)) return message;
  problems.push(message === undefined ? 'message: is missing' : 'message: must be text that is not blank');
  return '';
}

/** The maximum number of parts of one message. */
export const MAX_PARTS = 100;

/** A part from a body, or from the app's code, which can pass bytes directly. */
type InputPart = Json | SentPart;

/**
 * Parses parts. If it adds problems to `problems`, each with its place, the result is invalid.
 *
 * @throws SessionError 415 for a file if the app accepts none.
 */
function parseParts(
  parts: readonly InputPart[],
  problems: string[],
  { files, partsAt = 'message' }: PartRules,
): readonly PlacedPart[] {
  if (parts.length > MAX_PARTS) {
    problems.push(`${partsAt}: must have at most ${MAX_PARTS} parts`);
    return [];
  }
  const read = parts.flatMap((part, index) =>
    parsePart(part, { at: `${partsAt}[${index}]`, problems }, files),
  );
  const saysNothing = read.every(({ part }) => part.type === 'text' && part.text.trim() === '');
  if (problems.length === 0 && saysNothing)
    problems.push(`${partsAt}: must contain a file, or text that is not blank`);
  return read;
}

function parsePart(
  part: InputPart,
  place: PartPlace,
  files: MessageFiles | undefined,
): readonly PlacedPart[] {
  const { at, problems } = place;
  if (isJsonObject(part) && part.type === 'file') {
    if (files) return files.parseFile(part, place);
    throw createNoFilesError(at);
  }
  if (!isJsonObject(part) || part.type !== 'text') {
    problems.push(`${at}: must be a part of the type text or file`);
    return [];
  }
  problems.push(...listUnknownKeyProblems(part, TEXT_PART_KEYS).map((problem) => `${at}.${problem}`));
  const { text } = part;
  if (typeof text === 'string') return [{ at, part: { type: 'text', text } }];
  problems.push(`${at}.text: must be text`);
  return [];
}

const createNoFilesError = (at: string): SessionError =>
  new SessionError('unsupported-media-type', `${at} is a file, but this app accepts no files. Send text.`, {
    more: { accepts: { data: [], url: [] } },
  });

/** Appends the files of a form to its text, if any. */
const appendFiles = (message: FormField, files: readonly PlacedPart[]): readonly PlacedPart[] => [
  ...(typeof message === 'string' ? [{ at: 'message', part: { type: 'text' as const, text: message } }] : []),
  ...files,
];

const isTextMatching = (value: unknown, pattern: RegExp): value is string =>
  typeof value === 'string' && pattern.test(value);

/** Returns the context, or its problems. */
function parseContext(
  values: FormField,
  allowed: ReadonlySet<string> | undefined,
): ToolCallContext | string[] {
  if (values === undefined) return ToolCallContext.EMPTY;
  if (!isJsonObject(values)) return ['context: must be a JSON object'];
  const strange = allowed === undefined ? [] : Object.keys(values).filter((key) => !allowed.has(key));
  if (strange.length > 0) return strange.slice(0, MAX_LISTED_KEYS).map(findContextKeyProblem);
  try {
    return ToolCallContext.of(values);
  } catch (failure) {
    if (!(failure instanceof ToolCallContextError)) throw failure;
    return [`context: the value of '${failure.key.slice(0, 80)}' is nested too deeply`];
  }
}

/** The maximum number of context keys that a problem lists. */
const MAX_LISTED_KEYS = 10;

const findContextKeyProblem = (key: string): string =>
  `context: a body cannot set '${key.slice(0, 80)}'. Allow it in createHoldfast({ http: { bodyContext: [...] } })`;
