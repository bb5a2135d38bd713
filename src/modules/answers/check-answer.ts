/** Reads an answer from a request, checks it against its question, and stores it for the lease holder. */

import type { Agent } from '../../agent/define-agent.ts';
import type { SentAnswer } from '../../journal/asking.ts';
import { ROOT } from '../../journal/events.ts';
import type { Posted } from '../../journal/inbox-message.ts';
import type { SessionPort } from '../../journal/session-port.ts';
import type { JournaledAnswer, Wait } from '../../journal/wait.ts';
import type { AnswerMessage } from '../../session/inbox.ts';
import {
  type Answer,
  type DecisionKind,
  MAX_REASON,
  type SENT_DECISION,
  type SENT_RESULT,
} from '../../tool/call.ts';
import { routed } from '../../tool/check-input.ts';
import { copyJson } from '../../tool/copy-json.ts';
import { opensTools } from '../../tool/decorate.ts';
import { credentialIn } from '../../tool/env.ts';
import {
  formatPath,
  isJsonObject,
  type Json,
  type JsonObject,
  type JsonSchema,
  unknownKeys,
} from '../../tool/json.ts';
import { problemLines } from '../../tool/problem-lines.ts';
import type { KeysOf } from '../../tool/shape.ts';
import { toToolResult } from '../../tool/to-tool-result.ts';
import type { AnyTool } from '../../tool/tool.ts';
import type { ResultData } from '../../tool/tool-result.ts';
import { jsonSchemaCheck } from '../json-schema/check.ts';
import { bindingOf } from './call-questions.ts';
import { type AskedQuestion, asMeant } from './questions.ts';

/** A value, or the problems of its source, one short line each. */
export type Checked<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly problems: readonly string[] };

/** The path of an answer in the request body, such as `['answers', 0]`. Empty if the body is one answer. */
type At = readonly PropertyKey[];

/** Returns the line for a problem with a field of an answer, or with the whole answer if `field` is empty. */
export function problemAt(at: At, field: string, message: string): string {
  const place = formatPath(at);
  if (field !== '') return `${place === '' ? '' : `${place}.`}${field}: ${message}`;
  return place === '' ? `it ${message}` : `${place}: ${message}`;
}

/** Reads the content of an answer. */
export const readAnswer = ({ for: kind, body, at = [] }: SentAnswer): Checked<Answer> =>
  kind === 'decision' ? readDecision(body, at) : readResult(body, at);

const OF_DECISION: KeysOf<typeof SENT_DECISION> = { decision: 1, input: 1, reason: 1 };
const DECISIONS: ReadonlySet<unknown> = new Set<DecisionKind>(['approve', 'edit', 'reject', 'exit']);

function readDecision(body: SentAnswer['body'], at: At): Checked<Answer<'decision'>> {
  const { decision, input, reason } = body;
  const problems: string[] = [];
  const wrong = (field: string, message: string): unknown => problems.push(problemAt(at, field, message));
  const isKnown = DECISIONS.has(decision);
  if (decision === undefined) wrong('decision', 'is missing');
  else if (!isKnown) wrong('decision', 'must be approve, edit, reject or exit');
  if (input !== undefined && !isJsonObject(input)) wrong('input', 'must be a JSON object');
  else if (decision === 'edit' && input === undefined) wrong('input', 'is missing');
  else if (isKnown && decision !== 'edit' && input !== undefined) {
    wrong('input', 'is for the decision edit only');
  }
  if (reason !== undefined && (typeof reason !== 'string' || reason.length > MAX_REASON)) {
    wrong('reason', `must be text of at most ${MAX_REASON} characters`);
  }
  for (const key of unknownKeys(body, OF_DECISION)) wrong(key, 'is not known here');
  if (problems.length > 0) return { ok: false, problems };
  return { ok: true, value: { decision, input, reason } as Answer<'decision'> }; // checked above
}

const OF_RESULT: KeysOf<typeof SENT_RESULT> = { result: 1, text: 1, error: 1 };

function readResult(body: SentAnswer['body'], at: At): Checked<Answer<'result'>> {
  const { result = null, text, error } = body;
  const given = Object.keys(OF_RESULT).filter((key) => body[key] !== undefined);
  const problems =
    given.length === 1 ? [] : [problemAt(at, '', 'must have exactly one of result, text and error')];
  for (const key of ['text', 'error']) {
    if (body[key] !== undefined && typeof body[key] !== 'string') {
      problems.push(problemAt(at, key, 'must be text'));
    }
  }
  problems.push(...unknownKeys(body, OF_RESULT).map((key) => problemAt(at, key, 'is not known here')));
  if (problems.length > 0) return { ok: false, problems };
  if (typeof error === 'string') return { ok: true, value: { error } };
  if (typeof text === 'string') return { ok: true, value: { text } };
  return { ok: true, value: { result: result as Json } }; // a body is JSON, and the types allow no other value from code
}

/** The sender of an answer, and its path in the request body. */
interface AnsweredBy extends Pick<SentAnswer, 'at'> {
  /** The id of the sender. */
  readonly by: string;
}

/**
 * Returns the journaled answer to a question. Unchanged text in an edit gets its original invisible
 * characters back.
 */
export function checkAnswer(
  question: AskedQuestion,
  said: Answer,
  { by, at = [] }: AnsweredBy,
): Checked<JournaledAnswer> {
  const { wait, call } = question;
  if ('decision' in said) return checkDecision(wait, asMeant(question, said), { by, at });
  const toAnswer = (result: ResultData): Checked<JournaledAnswer> => ({
    ok: true,
    value: { type: 'result', result: { ...result }, by },
  });
  if (said.error !== undefined) return toAnswer({ type: 'error', message: said.error });
  if (said.text !== undefined) return toAnswer({ type: 'text', content: said.text });
  const problems = depthProblems(at, 'result', said.result);
  return problems.length > 0 ? { ok: false, problems } : toAnswer(toToolResult(call.name, said.result));
}

function checkDecision(
  wait: Wait,
  { decision, input, reason }: Answer<'decision'>,
  { by, at = [] }: AnsweredBy,
): Checked<JournaledAnswer> {
  const refused = (problem: string) =>
    ({ ok: false, problems: [problemAt(at, 'decision', problem)] }) as const;
  if (wait.for === 'result') return refused('is not expected here: the call waits for a result');
  if (!wait.allows.includes(decision)) return refused(`must be ${listed(wait.allows)} here`);
  const invalid = decision === 'edit' ? inputProblems(wait, input, at) : [];
  const problems = invalid.length > 0 ? invalid : credentialProblems(wait, { input, reason }, at);
  if (problems.length > 0) return { ok: false, problems };
  const edited = decision === 'edit' && input !== undefined && { input };
  const why = reason !== undefined && { reason };
  return { ok: true, value: { type: 'decision', decision, ...edited, ...why, by } };
}

function inputProblems(
  { schema }: Pick<Wait<'decision'>, 'schema'>,
  input: JsonObject | undefined,
  at: At,
): readonly string[] {
  if (input === undefined) return [problemAt(at, 'input', 'is missing')];
  const tooDeep = depthProblems(at, 'input', input);
  return tooDeep.length > 0 ? tooDeep : editLines(schema, input, at);
}

/**
 * Returns the problems of an edited input, one line each, by the JSON Schema of its question. The check runs
 * before anything is consumed, which lets the sender correct a mistake.
 */
export function editLines(schema: JsonSchema, input: JsonObject, at: At = []): readonly string[] {
  try {
    const problems = jsonSchemaCheck(structuredClone(schema))(input);
    return problemLines(problems.map(({ path, message }) => ({ path: [...at, 'input', ...path], message })));
  } catch {
    const why = 'cannot be checked: a name in it is not valid text, or it is nested too deeply';
    return [problemAt(at, 'input', why)];
  }
}

/** Returns the paths of possible credentials in an answer that must not hold any, without their values. */
function credentialProblems(
  { credentials }: Pick<Wait<'decision'>, 'credentials'>,
  sent: Omit<Answer<'decision'>, 'decision'>,
  at: At,
): readonly string[] {
  if (credentials !== 'refused') return [];
  return Object.entries(sent).flatMap(([name, value]) => {
    const found = value === undefined ? undefined : credentialIn(value);
    return found ? [problemAt(at, formatPath([name, ...found]), NO_CREDENTIALS)] : [];
  });
}

const NO_CREDENTIALS = 'looks like a credential, which is not accepted here: the journal keeps answers';

/** Returns a problem if the value is nested too deeply to be read back from the journal. */
const depthProblems = (at: At, name: string, value: Json): readonly string[] =>
  copyJson(value).ok ? [] : [problemAt(at, name, 'is nested too deeply')];

/** Returns the words as `a, b or c`. */
const listed = (words: readonly string[]): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;

type OwnTools = Pick<Agent, 'tools'>;

/**
 * Returns the problems of an edit that only its tool's own check finds, if the tool is one of the agent's.
 * The call checks again when it resumes. This check runs before anything is consumed.
 */
export async function editProblems(
  { tools }: OwnTools,
  { frame, call, wait }: AskedQuestion,
  { answer, at = [] }: Pick<SentAnswer, 'at'> & { readonly answer: JournaledAnswer },
): Promise<readonly string[]> {
  if (wait.for !== 'decision' || answer.type !== 'decision' || frame !== ROOT) return [];
  // A question that cannot be approved asks for a value, not for the tool's input.
  const { input, decision } = answer;
  if (decision !== 'edit' || input === undefined || !wait.allows.includes('approve')) return [];
  const found: (readonly string[])[] = [];
  for (const offered of named(tools, call.name)) {
    const { tool } = routed(offered, call);
    const edited = (await bindingOf(call, tool, wait)) === wait.binding && takingInput(tool, wait);
    const result = edited && (await edited.check(input, call.name));
    if (result) found.push(result.ok ? [] : (result.problems ?? []));
  }
  const isValid = found.some((problems) => problems.length === 0);
  return isValid ? [] : (found[0] ?? []).map((problem) => problemAt(at, 'input', problem));
}

/**
 * Returns the tool in a chain of decorators whose input schema the question shows. Decorators around it can
 * have another one.
 */
function takingInput(tool: AnyTool, { schema }: Pick<Wait<'decision'>, 'schema'>): AnyTool | undefined {
  const asked = JSON.stringify(schema);
  for (let one: AnyTool | undefined = tool; one !== undefined; one = one.delegate)
    if (JSON.stringify(one.inputSchema) === asked) return one;
  return undefined;
}

/**
 * Returns all tools with this name that the model could have seen. An inner tool of an unfolding tool can
 * replace an outer one.
 */
const named = (tools: readonly AnyTool[], name: string): readonly AnyTool[] =>
  tools.flatMap((tool) => [
    ...(tool.name === name ? [tool] : []),
    ...(opensTools(tool) ? named(tool.inner ?? [], name) : []),
  ]);

/**
 * Stores a checked answer for the lease holder. It is accepted once, and durable when this resolves. The
 * first available invocation then resumes the turn. `hash` distinguishes a sender's repeated request from
 * another answer. Returns `void` if the tool has changed since the question, and then stores a refusal in
 * place of the answer.
 */
export async function postAnswer(
  { port, agent }: { readonly port: Pick<SessionPort, 'post'>; readonly agent: OwnTools },
  question: AskedQuestion,
  { answer, hash }: { readonly answer: JournaledAnswer; readonly hash: string },
): Promise<Posted | 'void'> {
  const isVoid = question.standing === 'open' && (await hasChanged(agent, question));
  const message: AnswerMessage = { wait: question.id, answer: isVoid ? voided(answer) : answer };
  const bodyHash = isVoid ? `void ${hash}` : hash;
  const posted = await port.post({
    kind: 'answer',
    turn: question.turn,
    body: JSON.stringify(message),
    answers: { wait: question.id, bodyHash },
  });
  return isVoid && (posted === 'posted' || posted === 'known') ? 'void' : posted;
}

/**
 * Returns `true` if the tool has changed since the question. Reports it before anything is consumed. The loop
 * checks too, for tools that are not the agent's own.
 */
async function hasChanged({ tools }: OwnTools, { frame, call, wait }: AskedQuestion): Promise<boolean> {
  if (wait.for === 'result') return false; // the caller has already run the tool
  const known = frame === ROOT ? named(tools, call.name) : [];
  const bindings = await Promise.all(known.map((tool) => bindingOf(call, routed(tool, call).tool, wait)));
  return bindings.length > 0 && !bindings.includes(wait.binding);
}

/** Returns an answer without an effect, even if the tool changes back before the call reads it. */
function voided({ type, by }: JournaledAnswer): JournaledAnswer {
  const who = by === undefined ? {} : { by };
  const reason = 'The tool has changed since this was asked.';
  if (type === 'decision') return { type, decision: 'reject', reason, ...who };
  return { type, result: { type: 'error', message: reason, reason: 'declined' }, ...who };
}
