import { isJsonObject, type JsonObject } from '../tools/json.ts';
import { invalidBody } from './body.ts';

/** A checked message. */
export interface MessageBody {
  readonly message: string;
  readonly context?: JsonObject | undefined;
  readonly loopId?: string | undefined;
}

const KNOWN = ['message', 'context', 'loopId'];
/** A misspelled body should not make a page of problems. */
const MAX_UNKNOWN = 10;

/** Reads the body of a message. @throws Problem that lists everything that is wrong with it. */
export function parseMessageBody(body: JsonObject): MessageBody {
  const { message, context, loopId } = body;
  const problems: string[] = [];
  const check = (isFine: boolean, problem: string): void => {
    if (!isFine) problems.push(problem);
  };
  if (message === undefined) problems.push('message: is missing');
  else check(isText(message, /\S/), 'message: must be text that is not blank');
  check(context === undefined || isJsonObject(context), 'context: must be a JSON object');
  check(
    loopId === undefined || isText(loopId, /^[A-Za-z0-9_.:-]{1,128}$/),
    'loopId: must be 1 to 128 of the characters A-Z a-z 0-9 _ . : -',
  );
  const unknown = Object.keys(body).filter((key) => !KNOWN.includes(key));
  for (const key of unknown.slice(0, MAX_UNKNOWN)) problems.push(`${key.slice(0, 40)}: is not known here`);
  if (problems.length > 0) throw invalidBody(problems);
  return { message, context, loopId } as MessageBody; // as just checked
}

const isText = (value: unknown, pattern: RegExp): value is string =>
  typeof value === 'string' && pattern.test(value);
