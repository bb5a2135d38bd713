import type { Agent } from '../../agent/define-agent.ts';
import { ROOT } from '../../journal/events.ts';
import type { Posted } from '../../journal/inbox-message.ts';
import type { SessionPort } from '../../journal/session-port.ts';
import type { Answer, DecisionWait, SentDecision, SentResult, Wait } from '../../journal/wait.ts';
import type { AnswerMessage } from '../../session/inbox.ts';
import { routed } from '../../tool/check-input.ts';
import { copyJson } from '../../tool/copy-json.ts';
import { opensTools } from '../../tool/decorate.ts';
import { formatPath, type Json, type JsonObject, unknownProblems } from '../../tool/json.ts';
import { credentialIn } from '../../tool/secret-source.ts';
import { toToolResult } from '../../tool/to-tool-result.ts';
import type { AnyTool } from '../../tool/tool.ts';
import type { ResultData } from '../../tool/tool-result.ts';
import { bindingOf } from './call-questions.ts';
import { editLines } from './edit-lines.ts';
import type { Question } from './questions.ts';

/**
 * What became of an answer. `void`: the tool is no longer the one that was asked about, so the call is answered by
 * nothing but that. `no-such-turn`: the turn is over.
 */
type AnswerPosted = Posted | 'void';

interface Place {
  readonly port: Pick<SessionPort, 'post'>;
  readonly agent: Pick<Agent, 'tools'>;
}

/**
 * Leaves a checked answer for the holder of the session; it is taken once, and durable when this resolves. The turn
 * goes on after it, by whoever resumes it first. `hash` tells a sender's own repetition from another answer.
 */
export async function postAnswer(
  { port, agent }: Place,
  question: Question,
  { answer, hash }: { readonly answer: Answer; readonly hash: string },
): Promise<AnswerPosted> {
  const isVoid = question.standing === 'open' && (await hasChanged(agent, question));
  const message: AnswerMessage = { wait: question.id, answer: isVoid ? nothing(answer) : answer };
  const bodyHash = isVoid ? `void ${hash}` : hash;
  const posted = await port.post({
    kind: 'answer',
    turn: question.turn,
    body: JSON.stringify(message),
    answers: {
      wait: question.id,
      bodyHash,
    },
  });
  return isVoid && (posted === 'posted' || posted === 'known') ? 'void' : posted;
}

/** The loop looks too, for tools that are not the agent's own; what is said here is said before anything is consumed. */
async function hasChanged(
  { tools }: Pick<Agent, 'tools'>,
  { frame, call, wait }: Question,
): Promise<boolean> {
  if (wait.for === 'result') return false; // it has been run, whatever the tool is now
  const known = frame === ROOT ? named(tools, call.name) : [];
  const bindings = await Promise.all(known.map((tool) => bindingOf(call, routed(tool, call).tool, wait)));
  return bindings.length > 0 && !bindings.includes(wait.binding);
}

/**
 * What is wrong with the edit of a call, a line each, that its JSON Schema does not say: as its tool finds it, if that is one of the
 * agent's own. The call looks itself when it goes on, and asks again; what is said here is said before anything is consumed.
 */
export async function editProblems(
  { tools }: Pick<Agent, 'tools'>,
  { frame, call, wait }: Question,
  answer: Answer,
): Promise<readonly string[]> {
  if (wait.for !== 'decision' || answer.type !== 'decision' || frame !== ROOT) return [];
  // Where nothing is to be approved, a value is asked for, and no input of the tool.
  const { input, decision } = answer;
  if (decision !== 'edit' || input === undefined || !wait.allows.includes('approve')) return [];
  const found: (readonly string[])[] = [];
  for (const offered of named(tools, call.name)) {
    const { tool } = routed(offered, call);
    const edited = (await bindingOf(call, tool, wait)) === wait.binding && takingInput(tool, wait);
    const checked = edited && (await edited.check(input, call.name));
    if (checked) found.push(checked.ok ? [] : (checked.problems ?? []));
  }
  const isValid = found.some((problems) => problems.length === 0);
  return isValid ? [] : (found[0] ?? []).map((problem) => `input: ${problem}`);
}

/** The tool in a chain of decorators whose input is asked for: those around it may take another one. */
function takingInput(tool: AnyTool, { schema }: DecisionWait): AnyTool | undefined {
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

/** Acts on nothing, even if the tool became again what it was before the call finds this. */
function nothing({ type, by }: Answer): Answer {
  const who = by === undefined ? {} : { by };
  const reason = 'The tool has changed since this was asked.';
  if (type === 'decision') return { type, decision: 'reject', reason, ...who };
  return { type, result: { type: 'error', message: reason, reason: 'declined' }, ...who };
}

const OF_RESULT = ['result', 'text', 'error'];

/** Reads a result as its sender words it, in a request body or in a test; or says all that is wrong with it, a short line each. */
export function readResult(
  body: Readonly<Record<string, unknown>>,
):
  | { readonly ok: true; readonly sent: SentResult }
  | { readonly ok: false; readonly problems: readonly string[] } {
  const { result = null, text, error } = body;
  const given = OF_RESULT.filter((key) => body[key] !== undefined);
  const problems = given.length === 1 ? [] : ['it must have exactly one of result, text and error'];
  for (const key of ['text', 'error']) {
    if (body[key] !== undefined && typeof body[key] !== 'string') problems.push(`${key}: must be text`);
  }
  problems.push(...unknownProblems(body, OF_RESULT));
  if (problems.length > 0) return { ok: false, problems };
  if (typeof error === 'string') return { ok: true, sent: { error } };
  return { ok: true, sent: typeof text === 'string' ? { text } : { result: result as Json } }; // of a body it is JSON, and code can hand over no other by its type
}

/** An answer that can be given, or every reason why not, one short line each. */
export type CheckedAnswer =
  | { readonly ok: true; readonly answer: Answer }
  | { readonly ok: false; readonly problems: readonly string[] };

/** Who answers, and where. */
export interface AnsweredBy {
  /** The id of whoever answers. */
  readonly by: string;
}

/** Checks a decision against the question that it is for. */
export function checkDecision(
  wait: Wait,
  { decision, input, reason }: SentDecision,
  { by }: AnsweredBy,
): CheckedAnswer {
  if (wait.for === 'result') return { ok: false, problems: ['decision: a result is waited for here'] };
  if (!wait.allows.includes(decision)) {
    return { ok: false, problems: [`decision: must be ${listed(wait.allows)} here`] };
  }
  const invalid = decision === 'edit' ? inputProblems(wait, input) : [];
  const problems = invalid.length > 0 ? invalid : credentialProblems(wait, { input, reason });
  if (problems.length > 0) return { ok: false, problems };
  const edited = decision === 'edit' && input !== undefined ? { input } : {};
  const why = reason === undefined ? {} : { reason };
  return { ok: true, answer: { type: 'decision', decision, ...edited, ...why, by } };
}

/** Makes the answer of a result; the same values mean the same as what `run` returns. */
export function checkResult(tool: string, sent: SentResult, by: string): CheckedAnswer {
  const toAnswer = (result: ResultData): CheckedAnswer => ({
    ok: true,
    answer: { type: 'result', result: { ...result }, by },
  });
  if (sent.error !== undefined) return toAnswer({ type: 'error', message: sent.error });
  if (sent.text !== undefined) return toAnswer({ type: 'text', content: sent.text });
  const problems = depthProblems('result', sent.result);
  return problems.length > 0 ? { ok: false, problems } : toAnswer(toToolResult(tool, sent.result));
}

function inputProblems(
  { schema }: Pick<DecisionWait, 'schema'>,
  input: JsonObject | undefined,
): readonly string[] {
  if (input === undefined) return ['input: is missing'];
  const tooDeep = depthProblems('input', input);
  return tooDeep.length > 0 ? tooDeep : editLines(schema, input);
}

/** Says where an answer holds what the question does not take, and nothing of what is there. */
function credentialProblems({ credentials }: DecisionWait, sent: Omit<SentDecision, 'decision'>): string[] {
  if (credentials !== 'refused') return [];
  return Object.entries(sent).flatMap(([name, value]) => {
    const at = value === undefined ? undefined : credentialIn(value);
    return at ? [`${formatPath([name, ...at])}: ${NO_CREDENTIALS}`] : [];
  });
}

const NO_CREDENTIALS =
  'looks like a credential, and none is taken here: what is answered is kept in the journal';

/** Whatever goes into the journal must come out of it again, however it was nested. */
function depthProblems(name: string, value: Json): readonly string[] {
  const copy = copyJson(value);
  return copy.ok ? [] : [`${name}: is nested too deeply`];
}

/** `a, b or c`. */
const listed = (words: readonly string[]): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
