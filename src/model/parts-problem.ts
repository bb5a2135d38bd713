import type { ModelReply } from './chat-model.ts';
import { callsOf, type ReplyPart, type RequestedCall } from './parts.ts';

/** What must be text in a part of each type. */
const TEXTS: { readonly [Type in ReplyPart['type']]: readonly string[] } = {
  text: ['text'],
  reasoning: ['text'],
  file: ['mediaType', 'data'],
  'tool-call': ['id', 'name', 'input'],
  'tool-result': ['id', 'name'],
  source: ['id'],
  custom: ['kind'],
};

/**
 * Answers why the parts of a reply cannot be kept and given back, to go on after a colon; `undefined` when they can. Its words
 * hold nothing of the reply but the type of a part. Models of an app in plain JavaScript may answer anything.
 */
export function partsProblem({ parts, provider, toolCalls }: ModelReply): string | undefined {
  if (parts !== undefined) {
    if (!Array.isArray(parts)) return "its 'parts' are no list";
    const problem = parts.map(partProblem).find((one) => one !== undefined);
    if (problem) return problem;
    if (textOf(callsOf(parts)) !== textOf(toolCalls)) return "the calls in its parts are not its 'toolCalls'";
  }
  return isJson([parts, provider]) ? undefined : 'its parts hold what JSON cannot';
}

function partProblem(part: object | null, index: number): string | undefined {
  const fields = new Map<string, unknown>(Object.entries(part ?? {}));
  const type = fields.get('type');
  if (typeof type !== 'string') return `its part ${index} has no 'type'`;
  if (!isPartType(type)) {
    const types = Object.keys(TEXTS).map((one) => `'${one}'`);
    return `its part ${index} has the type '${type}'; use one of ${types.join(', ')}`;
  }
  const missing = TEXTS[type].find((field) => typeof fields.get(field) !== 'string');
  if (missing) return `its part ${index}, a '${type}', has no text under '${missing}'`;
  const isAnswered = type !== 'tool-result' || fields.get('result') !== undefined;
  return isAnswered ? undefined : `its part ${index}, a '${type}', has no 'result'`;
}

const isPartType = (type: string): type is ReplyPart['type'] => Object.hasOwn(TEXTS, type);

const textOf = (calls: readonly RequestedCall[]): string =>
  JSON.stringify(calls.map(({ id, name, input }) => [id, name, input]));

function isJson(value: unknown): boolean {
  try {
    JSON.stringify(value);
    return true;
  } catch {
    return false; // JSON can hold neither a cycle nor a bigint.
  }
}
