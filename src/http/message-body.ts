import { DELAY_RULE, isDelay } from '../tools/delay.ts';
import { isJsonObject, type Json, type JsonObject } from '../tools/json.ts';
import { ToolCallContext, ToolCallContextError } from '../tools/tool-call-context.ts';
import { invalidBody, unknownProblems } from './body.ts';

/** A checked message. */
export interface MessageBody {
  readonly message: string;
  readonly context: ToolCallContext;
  readonly loopId?: string | undefined;
  /** The turn is to start so much later. */
  readonly delaySeconds?: number | undefined;
}

const KNOWN = ['message', 'context', 'loopId', 'delaySeconds'];

/** Reads the body of a message. @throws Problem that lists everything that is wrong with it. */
export function parseMessageBody(body: JsonObject): MessageBody {
  const { message, loopId, delaySeconds } = body;
  const problems: string[] = [];
  if (message === undefined) problems.push('message: is missing');
  else if (!isText(message, /\S/)) problems.push('message: must be text that is not blank');
  const context = parseContext(body.context);
  if (typeof context === 'string') problems.push(context);
  if (loopId !== undefined && !isText(loopId, /^[A-Za-z0-9_.:-]{1,128}$/)) {
    problems.push('loopId: must be 1 to 128 of the characters A-Z a-z 0-9 _ . : -');
  }
  if (delaySeconds !== undefined && !isDelay(delaySeconds)) {
    problems.push(`delaySeconds: ${DELAY_RULE}`);
  }
  problems.push(...unknownProblems(body, KNOWN));
  if (problems.length > 0) throw invalidBody(problems);
  return { message, context, loopId, delaySeconds } as MessageBody; // as just checked
}

const isText = (value: unknown, pattern: RegExp): value is string =>
  typeof value === 'string' && pattern.test(value);

/** The context, or what is wrong with it. */
function parseContext(values: Json | undefined): ToolCallContext | string {
  if (values === undefined) return ToolCallContext.EMPTY;
  if (!isJsonObject(values)) return 'context: must be a JSON object';
  try {
    return ToolCallContext.of(values);
  } catch (failure) {
    if (!(failure instanceof ToolCallContextError)) throw failure;
    return `context: the value of '${failure.key.slice(0, 80)}' is nested too deeply`;
  }
}
