import { DELAY_RULE, isDelay } from '../tool/async.ts';
import type { ContentPart } from '../tool/content.ts';
import { isJsonObject, unknownProblems } from '../tool/json.ts';
import { ToolCallContext, ToolCallContextError } from '../tool/tool-call-context.ts';
import { besidesFiles, bodyType, invalidBody, readBody } from './body.ts';
import { checkFiles, type FilesTaken, type PlacedPart, takesFiles } from './files-taken.ts';
import { type BodyLimits, type FormField, type MessageForm, readForm } from './message-form.ts';
import { parseParts } from './message-parts.ts';

/** A message as it came, checked. */
export interface ReceivedMessage {
  readonly said: string | readonly ContentPart[];
  readonly context: ToolCallContext;
  readonly loopId?: string | undefined;
  /** The turn is to start so much later. */
  readonly delaySeconds?: number | undefined;
  /** The text of the body, where that is the same whenever it is sent: a form has another boundary each time. */
  readonly text?: string | undefined;
}

/** What a body may weigh where an agent takes files, unless the app allows more: a file of 8 MiB in base64, and words. */
const WITH_FILES = 12 * 1024 * 1024;

const FORM = 'multipart/form-data';

/** Where a message is read. */
interface Reading extends Checking {
  readonly bodyContext: ReadonlySet<string>;
}

/** How a message is checked. */
interface Checking {
  /** What the app allows. */
  readonly maxBodyBytes: number;
  /** The keys that a context may have. */
  readonly bodyContext?: ReadonlySet<string> | undefined;
  readonly taken: FilesTaken;
  /** Whether files may be named by addresses in private networks. */
  readonly allowPrivateFiles: boolean;
}

/**
 * Reads a message: JSON, or a form with files in it.
 *
 * @throws Problem that lists everything that is wrong with it, or says which files are not taken, or that it is too large.
 */
export async function readMessage(
  request: Request,
  { bodyContext, ...checking }: Reading,
): Promise<ReceivedMessage> {
  const { maxBodyBytes } = checking;
  const most = mostBytes(checking);
  const isForm = bodyType(request, ['application/json', FORM]) === FORM;
  const { text, ...body }: MessageBody = isForm
    ? await readForm(request, { most, besides: maxBodyBytes })
    : await readJson(request, { most, besides: maxBodyBytes });
  return { ...checkMessage(body, { bodyContext, ...checking }), text };
}

/**
 * Checks a message, wherever it comes from. Without `bodyContext` its context may have any key.
 *
 * @throws SessionError that lists everything that is wrong with it, or says which files are not taken, or that it is too large.
 */
export function checkMessage(
  body: MessageForm,
  { maxBodyBytes, bodyContext, taken, allowPrivateFiles }: Checking,
): ReceivedMessage {
  const { said, ...more } = parseMessage(body, { bodyContext, allowPrivateFiles });
  if (typeof said === 'string') {
    const most = mostBytes({ maxBodyBytes, taken });
    if (said.length > most) throw besidesFiles(most); // which a body that was read is not
    return { said, ...more };
  }
  const words = said.flatMap(({ part }) => (part.type === 'text' ? part.text.length : []));
  if (words.reduce((sum, length) => sum + length, 0) > maxBodyBytes) throw besidesFiles(maxBodyBytes);
  checkFiles(said, taken);
  return { said: said.map(({ part }) => part), ...more };
}

/** What a body may weigh that holds a message, with the files that are taken in it, in bytes. */
export const mostBytes = ({ maxBodyBytes, taken }: Pick<Checking, 'maxBodyBytes' | 'taken'>): number =>
  takesFiles(taken) ? Math.max(maxBodyBytes, WITH_FILES) : maxBodyBytes;

/** What is in a body. */
interface MessageBody extends MessageForm {
  readonly text?: string;
}

async function readJson(request: Request, { most, besides }: BodyLimits): Promise<MessageBody> {
  const { text, value } = await readBody(request, most, besides);
  return { text, fields: value, files: [], problems: [] };
}

const KNOWN = ['message', 'context', 'loopId', 'delaySeconds'];

/** A message whose parts are still known by where they stood. */
interface ParsedMessage extends Pick<ReceivedMessage, 'context' | 'loopId' | 'delaySeconds'> {
  readonly said: string | readonly PlacedPart[];
}

function parseMessage(
  { fields, files, problems: found }: MessageBody,
  { bodyContext, allowPrivateFiles }: Pick<Checking, 'bodyContext' | 'allowPrivateFiles'>,
): ParsedMessage {
  const { loopId, delaySeconds } = fields;
  const problems = [...found];
  const said =
    files.length > 0
      ? withFiles(fields.message, files)
      : parseSaid(fields.message, problems, allowPrivateFiles);
  const context = parseContext(fields.context, bodyContext);
  if (Array.isArray(context)) problems.push(...context);
  if (loopId !== undefined && !isText(loopId, /^[A-Za-z0-9_.:-]{1,128}$/)) {
    problems.push('loopId: must be 1 to 128 of the characters A-Z a-z 0-9 _ . : -');
  }
  if (delaySeconds !== undefined && !isDelay(delaySeconds)) {
    problems.push(`delaySeconds: ${DELAY_RULE}`);
  }
  problems.push(...unknownProblems(fields, KNOWN));
  if (problems.length > 0) throw invalidBody(problems);
  return { said, context, loopId, delaySeconds } as ParsedMessage; // as just checked
}

function parseSaid(message: FormField, problems: string[], allowPrivate: boolean): ParsedMessage['said'] {
  if (Array.isArray(message)) return parseParts(message, problems, allowPrivate);
  if (isText(message, /\S/)) return message;
  problems.push(message === undefined ? 'message: is missing' : 'message: must be text that is not blank');
  return '';
}

/** The files of a form stand behind its text, which it may go without. */
const withFiles = (message: FormField, files: readonly PlacedPart[]): readonly PlacedPart[] => [
  ...(typeof message === 'string' ? [{ at: 'message', part: { type: 'text' as const, text: message } }] : []),
  ...files,
];

const isText = (value: unknown, pattern: RegExp): value is string =>
  typeof value === 'string' && pattern.test(value);

/** The context, or what is wrong with it. */
function parseContext(
  values: FormField,
  allowed: ReadonlySet<string> | undefined,
): ToolCallContext | string[] {
  if (values === undefined) return ToolCallContext.EMPTY;
  if (!isJsonObject(values)) return ['context: must be a JSON object'];
  const strange = allowed === undefined ? [] : Object.keys(values).filter((key) => !allowed.has(key));
  if (strange.length > 0) return strange.slice(0, MOST_TOLD).map(notAllowed);
  try {
    return ToolCallContext.of(values);
  } catch (failure) {
    if (!(failure instanceof ToolCallContextError)) throw failure;
    return [`context: the value of '${failure.key.slice(0, 80)}' is nested too deeply`];
  }
}

/** Keys of a context that a problem lists. */
const MOST_TOLD = 10;

const notAllowed = (key: string): string =>
  `context: a body may not say '${key.slice(0, 80)}': createHoldfast({ bodyContext: [...] }) names the keys that it may`;
