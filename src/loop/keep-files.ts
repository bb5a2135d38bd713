import { type ContentPart, fileLine, isFile, isNew, isText, type NewFile } from '../tool/content.ts';
import type { Secrets } from '../tool/secrets.ts';
import { hasNewFiles, partsOfResult, type ToolResult, toolResult } from '../tool/tool-result.ts';
import { messageOf } from './exception-processor.ts';
import { Interrupted } from './holder.ts';
import type { Loop } from './loop.ts';
import { FileRefusedError } from './loop-files.ts';

/** The most bytes of files in one result: they travel with the event that names them. */
const MAX_RESULT_FILES = 12 * 1024 * 1024;

/**
 * A result whose files are kept, so that it is data from here on. Of a file that is not kept the model is told in its place, and the
 * developer by `onLost`: the tool has run, and nothing else of its result is lost.
 */
export async function withKeptFiles(
  { files, secrets }: Pick<Loop, 'files' | 'secrets'>,
  result: ToolResult,
  onLost: (problem: string) => void,
): Promise<ToolResult> {
  if (!hasNewFiles(result)) return result;
  const parts: ContentPart[] = [];
  let bytes = 0;
  for (const part of partsOfResult(result)) {
    if (!isFile(part) || !isNew(part)) {
      parts.push(part);
      continue;
    }
    bytes += part.bytes.byteLength;
    try {
      if (bytes > MAX_RESULT_FILES) throw tooMany;
      parts.push(await files.keep(withoutSecrets(part, secrets)));
    } catch (thrown) {
      if (thrown instanceof Interrupted) throw thrown;
      const why = thrown instanceof FileRefusedError ? thrown.message : NOT_NOW;
      parts.push({ type: 'text', text: `${fileLine(part)} (${why})` });
      onLost(messageOf('', thrown));
    }
  }
  return toolResult({ ...result, parts });
}

const tooMany = new FileRefusedError(`The files of one result may weigh ${MAX_RESULT_FILES} bytes together.`);

/** The model is not told why a store has failed: those are no words for it. */
const NOT_NOW = 'It could not be kept now.';

/** A file whose name holds no secrets, nor does it itself where it is text, which models are told as words. */
function withoutSecrets(file: NewFile, secrets: Secrets): NewFile {
  const { name, mediaType, bytes } = file;
  const named = name === undefined ? file : { ...file, name: secrets.redact(name) };
  if (!isText(mediaType)) return named;
  const text = new TextDecoder().decode(bytes);
  const clean = secrets.redact(text);
  return clean === text ? named : { ...named, bytes: new TextEncoder().encode(clean) };
}
