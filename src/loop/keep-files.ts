import { type ContentPart, fileLine, isFile, isNew } from '../tool/content.ts';
import { hasNewFiles, partsOfResult, type ToolResult, toolResult } from '../tool/tool-result.ts';
import type { Loop } from './loop.ts';
import { FileRefusedError } from './loop-files.ts';

/** The most bytes of files in one result: they travel with the event that names them. */
const MAX_RESULT_FILES = 12 * 1024 * 1024;

/**
 * A result whose files are kept, so that it is data from here on. Of a file that is refused the model is told in its place, and the
 * developer by `onRefused`: the tool has run, and nothing else of its result is lost.
 */
export async function withKeptFiles(
  { files }: Pick<Loop, 'files'>,
  result: ToolResult,
  onRefused: (problem: string) => void,
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
      parts.push(await files.keep(part));
    } catch (refused) {
      if (!(refused instanceof FileRefusedError)) throw refused;
      parts.push({ type: 'text', text: `${fileLine(part)} (${refused.message})` });
      onRefused(refused.message);
    }
  }
  return toolResult({ ...result, parts });
}

const tooMany = new FileRefusedError(`The files of one result may weigh ${MAX_RESULT_FILES} bytes together.`);
