import type { SentDecision } from '../session/check-answer.ts';
import type { DecisionKind } from '../tools/decision.ts';
import { isJsonObject, type JsonObject } from '../tools/json.ts';
import { invalidBody, unknownProblems } from './body.ts';

const KNOWN = ['decision', 'input', 'reason'];
const DECISIONS: readonly DecisionKind[] = ['approve', 'edit', 'reject', 'exit'];
/** Characters; a model reads it. */
const MAX_REASON = 2_000;

/** Reads the body of a decision. @throws Problem that lists everything that is wrong with it. */
export function parseDecisionBody(body: JsonObject): SentDecision {
  const { decision, input, reason } = body;
  const problems: string[] = [];
  if (decision === undefined) problems.push('decision: is missing');
  else if (!isDecision(decision)) problems.push('decision: must be approve, edit, reject or exit');
  if (input !== undefined && !isJsonObject(input)) problems.push('input: must be a JSON object');
  else if (decision === 'edit' && input === undefined) problems.push('input: is missing');
  else if (isDecision(decision) && decision !== 'edit' && input !== undefined) {
    problems.push('input: is for the decision edit only');
  }
  if (reason !== undefined && (typeof reason !== 'string' || reason.length > MAX_REASON)) {
    problems.push(`reason: must be text of at most ${MAX_REASON} characters`);
  }
  problems.push(...unknownProblems(body, KNOWN));
  if (problems.length > 0) throw invalidBody(problems);
  return { decision, input, reason } as SentDecision; // as just checked
}

const isDecision = (value: unknown): boolean => DECISIONS.some((one) => one === value);
