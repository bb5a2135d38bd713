/**
 * Checks calls and responses: the content after a reply contains all responses to its calls, and only those.
 */
import { createOwnRefusal, RefusalError } from '../wire.ts';
import type { GeminiContent } from './request.ts';

export function checkPairs(contents: readonly GeminiContent[]): void {
  if (contents.at(-1)?.role === 'model') {
    throw new RefusalError(
      400,
      'Please ensure that multiturn requests end with a user role or a function response.',
    );
  }
  for (const [index, content] of contents.entries()) {
    const before = contents[index - 1];
    if (getCalls(content).length > 0 && (before === undefined || before.role === 'model')) {
      throw new RefusalError(
        400,
        'Please ensure that function call turn comes immediately after a user turn or after a function response turn.',
      );
    }
    const calls = before === undefined ? [] : getCalls(before);
    const answers = getAnswers(content);
    if (answers.length > 0 && calls.length === 0) {
      throw new RefusalError(
        400,
        'Please ensure that function response turn comes immediately after a function call turn.',
      );
    }
    if (answers.length !== calls.length) {
      throw new RefusalError(
        400,
        'Please ensure that the number of function response parts is equal to the number of function call parts of ' +
          'the function call turn.',
      );
    }
    checkSame(calls, answers, `contents[${index}]`);
  }
}

interface NamedCall {
  readonly id?: string | undefined;
  readonly name: string;
}

/**
 * Compares calls and responses. Responses with ids may be in any order, and others must follow the order of
 * the calls.
 */
function checkSame(calls: readonly NamedCall[], answers: readonly NamedCall[], path: string): void {
  const haveIds = answers.some(({ id }) => id !== undefined);
  const formatCallKey = (each: NamedCall) => (haveIds ? `${each.id} ${each.name}` : each.name);
  const called = calls.map(formatCallKey);
  const answered = answers.map(formatCallKey);
  const same = haveIds
    ? called.every((each) => answered.includes(each)) && new Set(answered).size === answered.length
    : called.join() === answered.join();
  if (!same) throw createOwnRefusal(`${path}: the function responses are not those of the calls before`);
}

export function getCalls({ parts }: GeminiContent): readonly NamedCall[] {
  return parts.flatMap(({ functionCall }) => (functionCall === undefined ? [] : [functionCall]));
}

function getAnswers({ parts }: GeminiContent): readonly NamedCall[] {
  return parts.flatMap(({ functionResponse }) => (functionResponse === undefined ? [] : [functionResponse]));
}
