import type { ElicitRequest, ElicitResult } from '@modelcontextprotocol/sdk/types.js';
import type { Decision, DecisionKind, DecisionRequest, Effect, ToolCall } from '../../tool/call.ts';
import { drawMark, fenced } from '../../tool/fence.ts';
import { isJsonObject, type JsonObject } from '../../tool/json.ts';
import type { McpClient } from '../client/mcp-client.ts';
import { oneLine } from '../content/words.ts';
import { usableSchema } from './usable-schema.ts';

/** The call on which a server asks. */
interface Eliciting {
  readonly client: McpClient;
  /** The effect with which the call was started. */
  readonly effect: Effect;
  readonly call: ToolCall;
}

/** Milliseconds that people have to answer a question of a call that must not begin anew. */
export const DEFAULT_ELICITATION = 60_000;

/** The most characters of a server's question that people are shown, and of the schema of its answer. */
const MAX_MESSAGE = 2_000;
const MAX_SCHEMA = 16_384;

/**
 * Puts a server's question to whoever may decide in the session (MCP specification, Elicitation). A call that may begin anew
 * is suspended until it is answered, and the server's question is then answered from the journal; a `once` call goes on
 * running, and cancels the question when its time is over. What cannot be asked is declined.
 *
 * @throws CallInterrupted when the call is suspended.
 */
export async function answerElicitation(
  { client, effect, call }: Eliciting,
  asked: ElicitRequest['params'],
): Promise<ElicitResult> {
  const { elicitation } = client;
  if (elicitation === 'refuse' || !call.inSession) return DECLINED;
  const form = formOf(asked);
  if (!form) return DECLINED;
  const words = quoted(asked.message);
  const request: DecisionRequest = {
    message: `MCP server '${client.name}' asks while '${call.tool}' runs: ${fenced(words, drawMark([words]), ' ')}`,
    schema: form.schema,
    input: form.defaults,
    allows: form.isComplete ? ['approve', ...ANSWERS] : ANSWERS,
    by: elicitation.by,
  };
  const { expires } = elicitation;
  const decided =
    effect === 'once'
      ? await call.decideWhileRunning({ ...request, expires: expires ?? DEFAULT_ELICITATION })
      : await call.decide({ ...request, expires });
  return toElicitResult(decided, form.defaults);
}

/** The server's words on one line, which stay between the marks, and between quotes where their reader puts them: the rest is ours. */
const quoted = (words: string): string => oneLine(words, MAX_MESSAGE).replaceAll('"', "'");

const DECLINED: ElicitResult = { action: 'decline' };

/** `exit` is not among them: it ends the turn, and the server only asked. */
const ANSWERS: readonly DecisionKind[] = ['edit', 'reject'];

/** What the answer to a question is made of. */
interface Form {
  readonly schema: JsonObject;
  readonly defaults: JsonObject;
  /** True when the defaults are an answer. */
  readonly isComplete: boolean;
}

/** Reads a question as a form; `undefined` for one that is none, or one that is too long or takes too long to check. */
function formOf(asked: ElicitRequest['params']): Form | undefined {
  if (!('requestedSchema' in asked)) return undefined;
  if (JSON.stringify(asked.requestedSchema).length > MAX_SCHEMA) return undefined;
  // The schema came off the wire, so it is read anew, as plain JSON.
  const schema = usableSchema(JSON.parse(JSON.stringify(asked.requestedSchema)));
  if (!schema) return undefined;
  const properties = isJsonObject(schema.properties) ? schema.properties : {};
  const defaults = Object.fromEntries(
    Object.entries(properties).flatMap(([name, property]) =>
      isJsonObject(property) && Object.hasOwn(property, 'default') && property.default !== undefined
        ? [[name, property.default] as const]
        : [],
    ),
  );
  const required = Array.isArray(schema.required) ? schema.required : [];
  const isComplete = required.every((name) => typeof name === 'string' && Object.hasOwn(defaults, name));
  return { schema, defaults, isComplete };
}

function toElicitResult({ decision, input, expired }: Decision, defaults: JsonObject): ElicitResult {
  if (expired) return { action: 'cancel' };
  if (decision === 'reject' || decision === 'exit') return DECLINED;
  // It matches the schema that was asked with, whose properties are texts, numbers, booleans and lists of texts.
  return { action: 'accept', content: (input ?? defaults) as NonNullable<ElicitResult['content']> };
}
