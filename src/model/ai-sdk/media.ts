import { type MediaTaken, ModelError, type ModelMedia, type ModelMessage } from '../chat-model.ts';
import { namedFile, takes } from '../given-to.ts';
import type { MessageFile } from '../parts.ts';
import { isRecord } from '../untrusted-json.ts';
import type { SdkModel } from './specification.ts';

const NOTHING: MediaTaken = { data: [], url: [] };

/**
 * Looks for files that the package would refuse in other words, drop, or write out. Of a model that is not known anything may
 * stand in messages, and nothing in results.
 *
 * @throws ModelError `bad-request` that names the type of the first.
 */
export function checkFiles(
  model: SdkModel,
  media: ModelMedia | undefined,
  messages: readonly ModelMessage[],
): void {
  for (const message of messages) {
    if (message.role !== 'user' && message.role !== 'tool') continue;
    const inResult = message.role === 'tool';
    const taken = inResult ? (media?.result ?? NOTHING) : media?.message;
    const foreign = taken && filesIn(message).find((file) => !takes(taken, file));
    if (foreign) throw cannotBeGiven(model, `${namedFile(foreign)} in a ${inResult ? 'result' : 'message'}`);
  }
}

/**
 * Looks for files that the model was not given, after all, as its provider tells only once it is asked.
 *
 * @throws ModelError `bad-request` that names the types that it may be.
 */
export function checkFileWarnings(
  model: SdkModel,
  warnings: readonly unknown[],
  messages: readonly ModelMessage[],
): void {
  const types = [...new Set(messages.flatMap(filesIn).map(({ mediaType }) => `'${mediaType}'`))];
  if (types.length === 0) return;
  for (const warning of warnings) {
    const { feature, message } = isRecord(warning) ? warning : {};
    const told = [feature, message].find((words) => typeof words === 'string' && DROPPED.test(words));
    if (told === undefined) continue;
    const why = told === message ? `: ${String(message).replace(/\.$/, '')}` : '';
    throw cannotBeGiven(model, `a file of the type ${types.join(' or ')}${why}`);
  }
}

/** So several packages tell that they have left a file out of a message or of a result. */
const DROPPED = /\b(?:user message|tool)\b.* part type: file\b/;

const cannotBeGiven = ({ modelId, provider }: SdkModel, what: string): ModelError =>
  new ModelError('bad-request', `The model '${modelId}' of '${provider}' cannot be given ${what}.`);

const filesIn = (message: ModelMessage): readonly MessageFile[] =>
  message.role === 'user' || message.role === 'tool'
    ? (message.parts ?? []).filter((part): part is MessageFile => part.type === 'file')
    : [];
