import type { SentResult } from '../session/check-answer.ts';
import type { JsonObject } from '../tools/json.ts';
import { invalidBody, unknownProblems } from './body.ts';

const KNOWN = ['result', 'text', 'error'];

/** Reads the body of a result. @throws Problem that lists everything that is wrong with it. */
export function parseResultBody(body: JsonObject): SentResult {
  const given = KNOWN.filter((key) => body[key] !== undefined);
  const problems = given.length === 1 ? [] : ['it must have exactly one of result, text and error'];
  for (const key of ['text', 'error']) {
    if (body[key] !== undefined && typeof body[key] !== 'string') problems.push(`${key}: must be text`);
  }
  problems.push(...unknownProblems(body, KNOWN));
  if (problems.length > 0) throw invalidBody(problems);
  const { result = null, text, error } = body;
  if (typeof error === 'string') return { error };
  return typeof text === 'string' ? { text } : { result };
}
