import { fromBase64 } from '../../tool/base64.ts';
import { content, file } from '../../tool/content-result.ts';
import { type Log, mistake } from '../../tool/log.ts';
import { artifact, type ContentResult, error, type ToolResult } from '../../tool/tool-result.ts';

/** What `toModelOutput` of the AI SDK is given. */
interface Answered {
  readonly toolCallId: string;
  readonly input: unknown;
  readonly output: unknown;
}

/**
 * Answers what `execute` returned, with the words and files for the model that `toModelOutput` makes of it. When that throws the log
 * tells of it, and the value is the result: the tool has run.
 */
export async function toResult(
  toModelOutput: ((options: Answered) => unknown) | undefined,
  answered: Answered,
  log: Log,
): Promise<unknown> {
  const { output } = answered;
  if (!toModelOutput) return output;
  try {
    return shownAs(Object(await toModelOutput(answered)), output);
  } catch (thrown) {
    log(mistake('toModelOutput of a tool threw, so the model is shown the value', thrown));
    return output;
  }
}

type Fields = Readonly<Record<string, unknown>>;

function shownAs({ type, value, reason }: Fields, output: unknown): unknown {
  switch (type) {
    case 'text':
      return besides(String(value), output);
    case 'json':
      return besides(JSON.stringify(value), output);
    case 'content':
      return besides(content(Array.isArray(value) ? value.map(toPart) : []), output);
    case 'error-text':
      return error(String(value));
    case 'error-json':
      return error(JSON.stringify(value));
    case 'execution-denied':
      return error(typeof reason === 'string' ? reason : 'The call was denied.');
    default:
      return output;
  }
}

const besides = (words: string | ContentResult, output: unknown): string | ToolResult =>
  output === undefined || output === null ? words : artifact(words, output);

/** Also parts of the older names, such as `image-data` and `file-url`, which hold base64 or an address. */
function toPart(part: unknown): string | ContentResult {
  const { type, text, data, url, mediaType, filename }: Fields = Object(part);
  if (typeof text === 'string') return text;
  const held: Fields = typeof data === 'object' && data !== null ? Object(data) : { data, url };
  if (typeof held.text === 'string') return held.text;
  const media = typeof mediaType === 'string' && mediaType.includes('/') ? mediaType : DEFAULT_TYPE;
  const name = typeof filename === 'string' ? filename : undefined;
  const address = typeof held.url === 'string' ? URL.parse(held.url) : held.url;
  if (address instanceof URL) return file(address, media, name);
  const bytes = typeof held.data === 'string' ? fromBase64(held.data) : held.data;
  if (bytes instanceof Uint8Array || bytes instanceof ArrayBuffer) return file(bytes, media, name);
  return `(not shown: a part of the type ${String(type)})`;
}

const DEFAULT_TYPE = 'application/octet-stream';
