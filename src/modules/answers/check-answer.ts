/** Reads an answer as its sender words it, checks it by its question, and leaves it for whoever runs the turn. */

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

/** A value, or everything that is wrong with what it was made of, one short line each. */
export type Checked<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly problems: readonly string[] };

/** Where an answer is in what was sent: `['answers', 0]`, or nothing for a body that is one answer. */
type At = readonly PropertyKey[];

/** Says what is wrong with a field of an answer, or, without one, with all of it. */
export function problemAt(at: At, field: string, message: string): string {
  const place = formatPath(at);
  if (field !== '') return `${place === '' ? '' : `${place}.`}${field}: ${message}`;
  return place === '' ? `it ${message}` : `${place}: ${message}`;
}

/** Reads what an answer says. */
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
  return { ok: true, value: { decision, input, reason } as Answer<'decision'> }; // as just checked
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
  return { ok: true, value: { result: result as Json } }; // of a body it is JSON, and code can hand over no other by its type
}

/** Whose answer it is, and where it is in what was sent. */
interface AnsweredBy extends Pick<SentAnswer, 'at'> {
  /** The id of its sender. */
  readonly by: string;
}

/** Makes the answer of a question. Of an edit, what was shown has the characters of the input where it still shows them. */
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
  if (wait.for === 'result') return refused('a result is waited for here');
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
 * Returns what is wrong with the input of an edit, a line each, by the JSON Schema of its question. It is checked before anything is
 * consumed, so that a slip can be corrected.
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

/** Says where an answer holds what the question does not take, and nothing of what is there. */
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

const NO_CREDENTIALS =
  'looks like a credential, and none is taken here: what is answered is kept in the journal';

/** Whatever goes into the journal must come out of it again, however it was nested. */
const depthProblems = (at: At, name: string, value: Json): readonly string[] =>
  copyJson(value).ok ? [] : [problemAt(at, name, 'is nested too deeply')];

/** `a, b or c`. */
const listed = (words: readonly string[]): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;

type OwnTools = Pick<Agent, 'tools'>;

/**
 * Returns what is wrong with the edit of a call that its JSON Schema does not say: as its tool finds it, if that is one of the
 * agent's own. The call looks itself when it resumes, and asks again; what is said here is said before anything is consumed.
 */
export async function editProblems(
  { tools }: OwnTools,
  { frame, call, wait }: AskedQuestion,
  { answer, at = [] }: Pick<SentAnswer, 'at'> & { readonly answer: JournaledAnswer },
): Promise<readonly string[]> {
  if (wait.for !== 'decision' || answer.type !== 'decision' || frame !== ROOT) return [];
  // Where nothing is to be approved, a value is asked for, and no input of the tool.
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

/** The tool in a chain of decorators whose input is asked for: those around it may take another one. */
function takingInput(tool: AnyTool, { schema }: Pick<Wait<'decision'>, 'schema'>): AnyTool | undefined {
  const asked = JSON.stringify(schema);
  for (let one: AnyTool | undefined = tool; one !== undefined; one = one.delegate)
    if (JSON.stringify(one.inputSchema) === asked) return one;
  return undefined;
}

/** Those of this name that the model may have been offered: what an unfolding tool unfolds into may take the place of another. */
const named = (tools: readonly AnyTool[], name: string): readonly AnyTool[] =>
  tools.flatMap((tool) => [
    ...(tool.name === name ? [tool] : []),
    ...(opensTools(tool) ? named(tool.inner ?? [], name) : []),
  ]);

/**
 * Leaves a checked answer for the lease holder; it is accepted once, and durable when this resolves. The turn resumes after it, by
 * whoever is first. `hash` tells a sender's own repetition from another answer. Returns `void` if the tool is no longer the one that
 * was asked about, so that the call is answered by nothing but that.
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

/** The loop looks too, for tools that are not the agent's own; what is said here is said before anything is consumed. */
async function hasChanged({ tools }: OwnTools, { frame, call, wait }: AskedQuestion): Promise<boolean> {
  if (wait.for === 'result') return false; // it has been run, whatever the tool is now
  const known = frame === ROOT ? named(tools, call.name) : [];
  const bindings = await Promise.all(known.map((tool) => bindingOf(call, routed(tool, call).tool, wait)));
  return bindings.length > 0 && !bindings.includes(wait.binding);
}

/** Acts on nothing, even if the tool became again what it was before the call finds this. */
function voided({ type, by }: JournaledAnswer): JournaledAnswer {
  const who = by === undefined ? {} : { by };
  const reason = 'The tool has changed since this was asked.';
  if (type === 'decision') return { type, decision: 'reject', reason, ...who };
  return { type, result: { type: 'error', message: reason, reason: 'declined' }, ...who };
}
