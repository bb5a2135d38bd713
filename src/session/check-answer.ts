import type { Answer, DecisionWait, Wait } from '../journal/events.ts';
import { copyJson } from '../tools/copy-json.ts';
import type { DecisionKind } from '../tools/decision.ts';
import type { Json, JsonObject } from '../tools/json.ts';
import { jsonSchemaCheck } from '../tools/json-schema-check.ts';
import { type Problem, problemLines } from '../tools/problem-lines.ts';
import { toToolResult } from '../tools/to-tool-result.ts';
import type { ResultData } from '../tools/tool-result.ts';

/** A decision as its sender words it. */
export interface SentDecision {
  readonly decision: DecisionKind;
  /** Of an `edit`. */
  readonly input?: JsonObject | undefined;
  readonly reason?: string | undefined;
}

/** What came of a tool that the caller ran: any JSON, words for the model, or what went wrong. */
export type SentResult =
  | { readonly result: Json; readonly text?: undefined; readonly error?: undefined }
  | { readonly text: string; readonly result?: undefined; readonly error?: undefined }
  | { readonly error: string; readonly result?: undefined; readonly text?: undefined };

/** An answer that can be given, or every reason why not, one short line each. */
export type CheckedAnswer =
  | { readonly ok: true; readonly answer: Answer }
  | { readonly ok: false; readonly problems: readonly string[] };

/** Checks a decision against the question that it is for. `by`: the id of whoever decides. */
export function checkDecision(
  wait: Wait,
  { decision, input, reason }: SentDecision,
  by: string,
): CheckedAnswer {
  if (wait.for === 'result') return { ok: false, problems: ['decision: a result is waited for here'] };
  if (!wait.allows.includes(decision)) {
    return { ok: false, problems: [`decision: must be ${listed(wait.allows)} here`] };
  }
  const problems = decision === 'edit' ? inputProblems(wait, input) : [];
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

/** An edited input is checked before anything is consumed, so that a slip can be corrected. */
function inputProblems(
  { schema }: Pick<DecisionWait, 'schema'>,
  input: JsonObject | undefined,
): readonly string[] {
  if (input === undefined) return ['input: is missing'];
  const tooDeep = depthProblems('input', input);
  if (tooDeep.length > 0) return tooDeep;
  try {
    const check = jsonSchemaCheck(structuredClone(schema));
    const problems = check(input).map(
      ({ path, message }): Problem => ({ path: ['input', ...path], message }),
    );
    return problemLines(problems);
  } catch {
    return ['input: cannot be checked: a name in it is not valid text, or it is nested too deeply'];
  }
}

/** Whatever goes into the journal must come out of it again, however it was nested. */
function depthProblems(name: string, value: Json): readonly string[] {
  const copy = copyJson(value);
  return copy.ok ? [] : [`${name}: is nested too deeply`];
}

/** `a, b or c`. */
const listed = (words: readonly string[]): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
