import { type AcceptedMedia, ModelError, type ModelMedia, type ModelMessage } from '../chat-model.ts';
import { describeFile, isAcceptedFile } from '../given-to.ts';
import type { MessageFile } from '../parts.ts';
import { isRecord } from '../untrusted-json.ts';
import type { SdkModel } from './specification.ts';

const NO_MEDIA: AcceptedMedia = { data: [], url: [] };

/**
 * Refuses files that the package would refuse with another error, drop, or write as text. For an unknown
 * model, messages can contain any file and results none.
 *
 * @throws ModelError `bad-request` that names the type of the first such file.
 */
export function checkFiles(
  model: SdkModel,
  media: ModelMedia | undefined,
  messages: readonly ModelMessage[],
): void {
  for (const message of messages) {
    if (message.role !== 'user' && message.role !== 'tool') continue;
    const inResult = message.role === 'tool';
    const taken = inResult ? (media?.result ?? NO_MEDIA) : media?.message;
    const foreign = taken && listFiles(message).find((file) => !isAcceptedFile(taken, file));
    if (foreign)
      throw createUnsupportedFileError(
        model,
        `${describeFile(foreign)} in a ${inResult ? 'result' : 'message'}`,
      );
  }
}

/**
 * Checks the provider's warnings for files that it left out of the request. It reports them only after the
 * request.
 *
 * @throws ModelError `bad-request` that names the possible types.
 */
export function checkFileWarnings(
  model: SdkModel,
  warnings: readonly unknown[],
  messages: readonly ModelMessage[],
): void {
  const types = [...new Set(messages.flatMap(listFiles).map(({ mediaType }) => `'${mediaType}'`))];
  if (types.length === 0) return;
  for (const warning of warnings) {
    const { feature, message } = isRecord(warning) ? warning : {};
    const told = [feature, message].find(
      (words) => typeof words === 'string' && DROPPED_FILE_WARNING.test(words),
    );
    if (told === undefined) continue;
    const why = told === message ? `: ${String(message).replace(/\.$/, '')}` : '';
    throw createUnsupportedFileError(model, `a file of the type ${types.join(' or ')}${why}`);
  }
}

/** The warning by which several packages report that they omitted a file from a message or a result. */
const DROPPED_FILE_WARNING = /\b(?:user message|tool)\b.* part type: file\b/;

const createUnsupportedFileError = ({ modelId, provider }: SdkModel, what: string): ModelError =>
  new ModelError('bad-request', `The model '${modelId}' of '${provider}' cannot accept ${what}.`);

const listFiles = (message: ModelMessage): readonly MessageFile[] =>
  message.role === 'user' || message.role === 'tool'
    ? (message.parts ?? []).filter((part): part is MessageFile => part.type === 'file')
    : [];
