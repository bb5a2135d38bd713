/** Reads an answer from a request, checks it against its question, and stores it for the lease holder. */

import type { Agent } from '../../agent/define-agent.ts';
import type { SentAnswer } from '../../journal/asking.ts';
import { ROOT } from '../../journal/events.ts';
import type { PostOutcome } from '../../journal/inbox-message.ts';
import type { SessionPort } from '../../journal/session-port.ts';
import type { JournaledAnswer, Wait } from '../../journal/wait.ts';
import type { AnswerMessage } from '../../session/inbox.ts';
import {
  type Answer,
  type DecisionKind,
  MAX_REASON_CHARACTERS,
  type SENT_DECISION,
  type SENT_RESULT,
} from '../../tool/call.ts';
import { resolveRoute } from '../../tool/check-input.ts';
import { copyJson } from '../../tool/copy-json.ts';
import { opensTools } from '../../tool/decorate.ts';
import { findCredentialPath } from '../../tool/env.ts';
import {
  formatPath,
  isJsonObject,
  type Json,
  type JsonObject,
  type JsonSchema,
  listUnknownKeys,
} from '../../tool/json.ts';
import { formatProblems } from '../../tool/problem-lines.ts';
import type { KeysOf } from '../../tool/shape.ts';
import { toToolResult } from '../../tool/to-tool-result.ts';
import type { AnyTool } from '../../tool/tool.ts';
import type { ResultData } from '../../tool/tool-result.ts';
import { createJsonSchemaCheck } from '../json-schema/check.ts';
import { computeBinding } from './call-questions.ts';
import { type AskedQuestion, withOriginalCharacters } from './questions.ts';

/** A valid value, or the problems of the input, one short line each. */
export type CheckResult<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly problems: readonly string[] };

/** The path of an answer in the request body, such as `['answers', 0]`. Empty if the body is one answer. */
type AnswerPath = readonly PropertyKey[];

/** Returns the line for a problem with a field of an answer, or with the whole answer if `field` is empty. */
export function formatProblem(at: AnswerPath, field: string, message: string): string {
  const place = formatPath(at);
  if (field !== '') return `${place === '' ? '' : `${place}.`}${field}: ${message}`;
  return place === '' ? `it ${message}` : `${place}: ${message}`;
}

export const readAnswer = ({ for: kind, body, at = [] }: SentAnswer): CheckResult<Answer> =>
  kind === 'decision' ? readDecision(body, at) : readResultAnswer(body, at);

const DECISION_KEYS: KeysOf<typeof SENT_DECISION> = { decision: 1, input: 1, reason: 1 };
const DECISIONS: ReadonlySet<unknown> = new Set<DecisionKind>(['approve', 'edit', 'reject', 'exit']);

function readDecision(body: SentAnswer['body'], at: AnswerPath): CheckResult<Answer<'decision'>> {
  const { decision, input, reason } = body;
  const problems: string[] = [];
  const addProblem = (field: string, message: string): unknown =>
    problems.push(formatProblem(at, field, message));
  const isKnown = DECISIONS.has(decision);
  if (decision === undefined) addProblem('decision', 'is missing');
  else if (!isKnown) addProblem('decision', 'must be approve, edit, reject or exit');
  if (input !== undefined && !isJsonObject(input)) addProblem('input', 'must be a JSON object');
  else if (decision === 'edit' && input === undefined) addProblem('input', 'is missing');
  else if (isKnown && decision !== 'edit' && input !== undefined) {
    addProblem('input', 'is for the decision edit only');
  }
  if (reason !== undefined && (typeof reason !== 'string' || reason.length > MAX_REASON_CHARACTERS)) {
    addProblem('reason', `must be text of at most ${MAX_REASON_CHARACTERS} characters`);
  }
  for (const key of listUnknownKeys(body, DECISION_KEYS)) addProblem(key, 'is not known here');
  if (problems.length > 0) return { ok: false, problems };
  return { ok: true, value: { decision, input, reason } as Answer<'decision'> }; // checked above
}

const RESULT_KEYS: KeysOf<typeof SENT_RESULT> = { result: 1, text: 1, error: 1 };

function readResultAnswer(body: SentAnswer['body'], at: AnswerPath): CheckResult<Answer<'result'>> {
  const { result = null, text, error } = body;
  const given = Object.keys(RESULT_KEYS).filter((key) => body[key] !== undefined);
  const problems =
    given.length === 1 ? [] : [formatProblem(at, '', 'must have exactly one of result, text and error')];
  for (const key of ['text', 'error']) {
    if (body[key] !== undefined && typeof body[key] !== 'string') {
      problems.push(formatProblem(at, key, 'must be text'));
    }
  }
  problems.push(
    ...listUnknownKeys(body, RESULT_KEYS).map((key) => formatProblem(at, key, 'is not known here')),
  );
  if (problems.length > 0) return { ok: false, problems };
  if (typeof error === 'string') return { ok: true, value: { error } };
  if (typeof text === 'string') return { ok: true, value: { text } };
  return { ok: true, value: { result: result as Json } }; // a body is JSON, and the types only allow JSON from code
}

/** The sender of an answer, and its path in the request body. */
interface AnswerSender extends Pick<SentAnswer, 'at'> {
  readonly by: string;
}

/**
 * Returns the journaled answer to a question. Restores the original invisible characters in unchanged text of
 * an edit.
 */
export function checkAnswer(
  question: AskedQuestion,
  said: Answer,
  { by, at = [] }: AnswerSender,
): CheckResult<JournaledAnswer> {
  const { wait, call } = question;
  if ('decision' in said) return checkDecision(wait, withOriginalCharacters(question, said), { by, at });
  const toAnswer = (result: ResultData): CheckResult<JournaledAnswer> => ({
    ok: true,
    value: { type: 'result', result: { ...result }, by },
  });
  if (said.error !== undefined) return toAnswer({ type: 'error', message: said.error });
  if (said.text !== undefined) return toAnswer({ type: 'text', content: said.text });
  const problems = listDepthProblems(at, 'result', said.result);
  return problems.length > 0 ? { ok: false, problems } : toAnswer(toToolResult(call.name, said.result));
}

function checkDecision(
  wait: Wait,
  { decision, input, reason }: Answer<'decision'>,
  { by, at = [] }: AnswerSender,
): CheckResult<JournaledAnswer> {
  const createRefusal = (problem: string) =>
    ({ ok: false, problems: [formatProblem(at, 'decision', problem)] }) as const;
  if (wait.for === 'result') return createRefusal('is not expected here: the call waits for a result');
  if (!wait.allows.includes(decision)) return createRefusal(`must be ${joinWithOr(wait.allows)} here`);
  const invalid = decision === 'edit' ? listInputProblems(wait, input, at) : [];
  const problems = invalid.length > 0 ? invalid : listCredentialProblems(wait, { input, reason }, at);
  if (problems.length > 0) return { ok: false, problems };
  const edited = decision === 'edit' && input !== undefined && { input };
  const why = reason !== undefined && { reason };
  return { ok: true, value: { type: 'decision', decision, ...edited, ...why, by } };
}

function listInputProblems(
  { schema }: Pick<Wait<'decision'>, 'schema'>,
  input: JsonObject | undefined,
  at: AnswerPath,
): readonly string[] {
  if (input === undefined) return [formatProblem(at, 'input', 'is missing')];
  const tooDeep = listDepthProblems(at, 'input', input);
  return tooDeep.length > 0 ? tooDeep : listSchemaProblems(schema, input, at);
}

/**
 * Checks an edited input against the JSON Schema of its question. Returns the problems, one line each. Runs
 * before the answer is consumed, so that the sender can correct a mistake.
 */
export function listSchemaProblems(
  schema: JsonSchema,
  input: JsonObject,
  at: AnswerPath = [],
): readonly string[] {
  try {
    const problems = createJsonSchemaCheck(structuredClone(schema))(input);
    return formatProblems(
      problems.map(({ path, message }) => ({ path: [...at, 'input', ...path], message })),
    );
  } catch {
    const why = 'cannot be checked: a name in it is not valid text, or it is nested too deeply';
    return [formatProblem(at, 'input', why)];
  }
}

/** Returns the paths of possible credentials in an answer that must not contain any, without their values. */
function listCredentialProblems(
  { credentials }: Pick<Wait<'decision'>, 'credentials'>,
  sent: Omit<Answer<'decision'>, 'decision'>,
  at: AnswerPath,
): readonly string[] {
  if (credentials !== 'refused') return [];
  return Object.entries(sent).flatMap(([name, value]) => {
    const found = value === undefined ? undefined : findCredentialPath(value);
    return found ? [formatProblem(at, formatPath([name, ...found]), CREDENTIAL_PROBLEM)] : [];
  });
}

const CREDENTIAL_PROBLEM = 'looks like a credential, which is not accepted here: the journal keeps answers';

/** Returns a problem if the value is nested too deeply for the journal. */
const listDepthProblems = (at: AnswerPath, name: string, value: Json): readonly string[] =>
  copyJson(value).ok ? [] : [formatProblem(at, name, 'is nested too deeply')];

/** Joins words into a list such as `a, b or c`. */
const joinWithOr = (words: readonly string[]): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;

type AgentTools = Pick<Agent, 'tools'>;

/**
 * Returns the problems of an edit that only the tool's own check can find, if the tool belongs to the agent.
 * Runs before the answer is consumed. The call checks again when it resumes.
 */
export async function editProblems(
  { tools }: AgentTools,
  { frame, call, wait }: AskedQuestion,
  { answer, at = [] }: Pick<SentAnswer, 'at'> & { readonly answer: JournaledAnswer },
): Promise<readonly string[]> {
  if (wait.for !== 'decision' || answer.type !== 'decision' || frame !== ROOT) return [];
  // A question that cannot be approved asks for a value, not for the tool's input.
  const { input, decision } = answer;
  if (decision !== 'edit' || input === undefined || !wait.allows.includes('approve')) return [];
  const found: (readonly string[])[] = [];
  for (const offered of findToolsNamed(tools, call.name)) {
    const { tool } = resolveRoute(offered, call);
    const edited =
      (await computeBinding(call, tool, wait)) === wait.binding && findToolWithSchema(tool, wait);
    const result = edited && (await edited.check(input, call.name));
    if (result) found.push(result.ok ? [] : (result.problems ?? []));
  }
  const isValid = found.some((problems) => problems.length === 0);
  return isValid ? [] : (found[0] ?? []).map((problem) => formatProblem(at, 'input', problem));
}

/**
 * Returns the tool in a chain of decorators whose input schema the question shows. The decorators around it
 * can have other schemas.
 */
function findToolWithSchema(
  tool: AnyTool,
  { schema }: Pick<Wait<'decision'>, 'schema'>,
): AnyTool | undefined {
  const asked = JSON.stringify(schema);
  for (let one: AnyTool | undefined = tool; one !== undefined; one = one.delegate)
    if (JSON.stringify(one.inputSchema) === asked) return one;
  return undefined;
}

/**
 * Returns all tools with this name that the model could have seen. An inner tool of an unfolding tool can
 * replace an outer one.
 */
const findToolsNamed = (tools: readonly AnyTool[], name: string): readonly AnyTool[] =>
  tools.flatMap((tool) => [
    ...(tool.name === name ? [tool] : []),
    ...(opensTools(tool) ? findToolsNamed(tool.inner ?? [], name) : []),
  ]);

/**
 * Stores a checked answer for the lease holder. An answer is accepted once, and is durable when this
 * resolves. The first available invocation then resumes the turn. `hash` distinguishes a sender's repeated
 * request from another answer. Returns `void` if the tool has changed since the question, and then stores a
 * refusal in place of the answer.
 */
export async function postAnswer(
  { port, agent }: { readonly port: Pick<SessionPort, 'post'>; readonly agent: AgentTools },
  question: AskedQuestion,
  { answer, hash }: { readonly answer: JournaledAnswer; readonly hash: string },
): Promise<PostOutcome | 'void'> {
  const isVoid = question.standing === 'open' && (await hasToolChanged(agent, question));
  const message: AnswerMessage = { wait: question.id, answer: isVoid ? toVoidAnswer(answer) : answer };
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
 * Returns whether the tool has changed since the question. Runs before the answer is consumed. The loop also
 * checks tools that do not belong to the agent.
 */
async function hasToolChanged({ tools }: AgentTools, { frame, call, wait }: AskedQuestion): Promise<boolean> {
  if (wait.for === 'result') return false; // the caller has already run the tool
  const known = frame === ROOT ? findToolsNamed(tools, call.name) : [];
  const bindings = await Promise.all(
    known.map((tool) => computeBinding(call, resolveRoute(tool, call).tool, wait)),
  );
  return bindings.length > 0 && !bindings.includes(wait.binding);
}

/** Converts an answer to one that has no effect, even if the tool changes back before the call reads it. */
function toVoidAnswer({ type, by }: JournaledAnswer): JournaledAnswer {
  const who = by === undefined ? {} : { by };
  const reason = 'The tool has changed since this was asked.';
  if (type === 'decision') return { type, decision: 'reject', reason, ...who };
  return { type, result: { type: 'error', message: reason, reason: 'declined' }, ...who };
}
