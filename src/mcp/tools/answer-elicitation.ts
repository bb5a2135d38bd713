import type { ElicitRequest, ElicitResult } from '@modelcontextprotocol/client';
import { toUsableSchema } from '../../modules/json-schema/schema-check.ts';
import type { CallContext, Decision, DecisionKind, Effect, SuspendingQuestion } from '../../tool/call.ts';
import { findCredentialPath } from '../../tool/env.ts';
import { formatPath, isJsonObject, type Json, type JsonObject } from '../../tool/json.ts';
import { createFenceMark, fenceUntrusted } from '../../tool/shown.ts';
import type { McpClient } from '../client/mcp-client.ts';
import { logWarning, toOneLine } from '../content/words.ts';

/** The call during which a server asks. */
export interface ElicitingCall {
  readonly client: McpClient;
  /** The effect with which the call started. */
  readonly effect: Effect;
  readonly call: CallContext;
}

/** Milliseconds that people have to answer a question of a call that must not run again. */
export const DEFAULT_ELICITATION_MS = 60_000;

/** The maximum length of a server's question, and of the schema of its answer. */
const MAX_MESSAGE = 2_000;
const MAX_SCHEMA = 16_384;
/** The maximum length of a field's name in the log. */
const MAX_FIELD = 80;

/**
 * Passes a server's question to the people who can decide in the session (MCP specification, Elicitation). A
 * repeatable call is suspended until they answer, and then answers the server from the journal. A `once` call
 * keeps running, and cancels the question when its time limit expires. A question that cannot be asked is
 * declined.
 *
 * @throws CallInterrupted if the call is suspended.
 */
export async function answerElicitation(
  eliciting: ElicitingCall,
  asked: ElicitRequest['params'],
): Promise<ElicitResult> {
  const form = toForm(eliciting, asked);
  return form ? askPeople(eliciting, form) : DECLINED;
}

/** A server's question in the form for people. A type alias, because an interface does not count as JSON. */
export type Form = {
  /** The question on one line. */
  readonly message: string;
  /** The schema for the answer. */
  readonly schema: JsonObject;
};

/**
 * Converts a server's question to a form. Returns `undefined` for a question that must be declined, such as
 * one for a credential. Answers are journaled, so an answer that looks like a credential is refused, too. (By
 * the specification, servers ask for credentials at a URL of their own, and not by a form.)
 */
export function toForm({ client, call }: ElicitingCall, asked: ElicitRequest['params']): Form | undefined {
  if (client.elicitation === 'refuse' || !call.inSession || !('requestedSchema' in asked)) return undefined;
  if (JSON.stringify(asked.requestedSchema).length > MAX_SCHEMA) return undefined;
  // The received schema is copied as plain JSON.
  const schema = toUsableSchema(JSON.parse(JSON.stringify(asked.requestedSchema)));
  if (!schema) return undefined;
  const field = findCredentialField(schema, asked.message);
  if (field === undefined) return { message: quoteServerText(asked.message), schema };
  logWarning(formatCredentialMessage(client, call, field), call);
  return undefined;
}

/**
 * Asks people and returns their answer. `checkpoint` is the state from which a call resumes, if its server
 * has deferred the request.
 *
 * @throws CallInterrupted if the call is suspended.
 */
export async function askPeople(
  { client, effect, call }: ElicitingCall,
  { message, schema }: Form,
  checkpoint?: Json,
): Promise<ElicitResult> {
  const { elicitation } = client;
  if (elicitation === 'refuse' || !call.inSession) return DECLINED;
  const { by, expires } = elicitation;
  const defaults = collectDefaults(schema);
  const question: Omit<SuspendingQuestion, 'meanwhile' | 'expires' | 'checkpoint'> = {
    for: 'decision',
    message: `MCP server '${client.name}' asks while '${call.tool}' runs: ${fenceUntrusted(message, createFenceMark([message]), ' ')}`,
    schema,
    credentials: 'refused',
    input: defaults,
    allows: isComplete(schema, defaults) ? ['approve', ...ALLOWED_DECISIONS] : ALLOWED_DECISIONS,
    by,
  };
  const staysConnected = effect === 'once' && checkpoint === undefined;
  const decided = staysConnected
    ? await call.ask({ ...question, meanwhile: 'running', expires: expires ?? DEFAULT_ELICITATION_MS })
    : await call.ask({ ...question, expires, checkpoint });
  return toElicitResult(decided, defaults);
}

/**
 * Returns a server's text on one line, without double quotes, so it cannot escape the marks and quotes around
 * it.
 */
const quoteServerText = (words: string): string => toOneLine(words, MAX_MESSAGE).replaceAll('"', "'");

const formatCredentialMessage = ({ name }: McpClient, { tool }: CallContext, field: string): string =>
  `MCP server '${name}' asked for a credential while '${tool}' ran, in its field '${toOneLine(field, MAX_FIELD)}', and was ` +
  'declined, because the journal stores what people answer.';

export const DECLINED: ElicitResult = { action: 'decline' };

/**
 * The possible decisions, without `exit`, which would end the turn although the server only asked a question.
 */
const ALLOWED_DECISIONS: readonly DecisionKind[] = ['edit', 'reject'];

/** Returns the schema's defaults as an answer. */
const collectDefaults = ({ properties }: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(isJsonObject(properties) ? properties : {}).flatMap(([name, property]) =>
      isJsonObject(property) && Object.hasOwn(property, 'default') && property.default !== undefined
        ? [[name, property.default] as const]
        : [],
    ),
  );

/** Returns whether the defaults are a complete answer. */
const isComplete = ({ required }: JsonObject, defaults: JsonObject): boolean =>
  (Array.isArray(required) ? required : []).every(
    (name) => typeof name === 'string' && Object.hasOwn(defaults, name),
  );

/** Returns the path of a field that asks for a credential or has one as its default. */
function findCredentialField(schema: JsonObject, message: string): string | undefined {
  const fields = listFields(schema, '');
  const isOnly = fields.length === 1;
  const found = fields.find(({ name, field }) => isForCredential(name, field, isOnly ? message : ''));
  const filled = found ? undefined : findCredentialPath(collectDefaults(schema));
  return found?.path ?? (filled && formatPath(filled));
}

interface Field {
  readonly path: string;
  readonly name: string;
  readonly field: JsonObject;
}

const listFields = ({ properties }: JsonObject, path: string): readonly Field[] =>
  Object.entries(isJsonObject(properties) ? properties : {}).flatMap(([name, schema]) => {
    const [field, here] = [isJsonObject(schema) ? schema : {}, path === '' ? name : `${path}.${name}`];
    return [{ path: here, name, field }, ...listFields(field, here)];
  });

/** Matches the usual words for secrets that grant access or authorize payments. */
const CREDENTIAL =
  /\b(pass(word|wd|phrase|code|key)|pwd|secret|token|credential|bearer|jwt|otp|pin|cvv|cvc|(api|access|private|signing|encryption) ?key|(auth|authorization|verification|security|one time|[2m]fa) code|card number|session (id|cookie))s?\b/;

/** Matches the secrets among them that can be numbers. A number of tokens, for example, is not a secret. */
const NUMBER = /\b(pass(word|code)|pin|otp|cvv|cvc|code|card number)s?\b/;

/** Matches names without a specific meaning. The text beside such a field then decides. */
const NAMELESS_FIELD =
  /^(value|input|answer|response|reply|text|content|data|key|code|field|string|result)?$/;

function isForCredential(name: string, field: JsonObject, message: string): boolean {
  const { type, title, description, format, writeOnly } = field;
  if (format === 'password' || writeOnly === true) return true;
  const types: readonly Json[] = [type ?? 'string'].flat();
  const isChosen = ['enum', 'const', 'oneOf', 'anyOf'].some((keyword) => Object.hasOwn(field, keyword));
  if (isChosen || !types.some((one) => one === 'string' || one === 'number' || one === 'integer'))
    return false;
  const label = [name, title].map(splitWords);
  const words = label.every((one) => NAMELESS_FIELD.test(one))
    ? [...label, description, message].map(splitWords)
    : label;
  const isText = types.includes('string');
  return words.some((said) => CREDENTIAL.test(said) && (isText || NUMBER.test(said)));
}

/** Returns `githubAccessToken` and `GITHUB_ACCESS_TOKEN` as `github access token`. */
const splitWords = (text: Json | undefined): string =>
  (typeof text === 'string' ? text : '')
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .replaceAll(/[^\p{L}\d]+/gu, ' ')
    .trim();

function toElicitResult({ decision, input, expired }: Decision, defaults: JsonObject): ElicitResult {
  if (expired) return { action: 'cancel' };
  if (decision === 'reject' || decision === 'exit') return DECLINED;
  // The content matches the requested schema, whose properties are texts, numbers, booleans and lists of
  // texts.
  return { action: 'accept', content: (input ?? defaults) as NonNullable<ElicitResult['content']> };
}
