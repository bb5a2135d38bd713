import type { ReadResourceResult } from '@modelcontextprotocol/server';
import { toBase64 } from '../../tool/base64.ts';
import { isText } from '../../tool/content.ts';
import { copyJson } from '../../tool/copy-json.ts';
import type { Secrets } from '../../tool/secrets.ts';
import type { McpContentsPart, McpResourceAnswer } from './define-mcp-resource.ts';

/** The contents of one resource. */
export type Contents = ReadResourceResult['contents'];

/**
 * Answers a list of contents as what `read` of a resource answers, where one text, one value or one file will not do.
 *
 * @example
 * ```ts
 * return mcpContents([{ text: '# Chart' }, { uri: 'charts://7.png', mimeType: 'image/png', bytes: png }]);
 * ```
 */
export function mcpContents(parts: readonly McpContentsPart[]): readonly McpContentsPart[] {
  const made = [...parts];
  MADE.add(made);
  return made;
}

/** Those that `mcpContents` made: any other list is JSON. */
const MADE = new WeakSet<object>();

const isParts = (answer: object): answer is readonly McpContentsPart[] => MADE.has(answer);

interface Typed {
  readonly uri: string;
  readonly mimeType?: string | undefined;
}

/** The most bytes that one answer carries, and characters: as much as the files of a result. */
const MAX_CONTENTS = 12 * 1024 * 1024;

/** Makes the contents of what `read` of a resource answered, without secrets. @throws Error when it can be no contents. */
export function toContents(
  answer: McpResourceAnswer,
  { secrets, ...typed }: Typed & { readonly secrets: Secrets },
): Contents | undefined {
  if (answer === undefined || answer === null) return undefined;
  const parts = partsOf(answer, typed.mimeType);
  const size = parts.reduce((sum, part) => sum + ('text' in part ? part.text.length : part.bytes.length), 0);
  if (size > MAX_CONTENTS) throw new Error(`It has ${size} bytes of contents, and may have ${MAX_CONTENTS}.`);
  return parts.map(({ uri: own = typed.uri, mimeType = typed.mimeType, ...part }) => {
    const uri = secrets.redact(own);
    return 'text' in part
      ? { uri, mimeType: mimeType ?? 'text/plain', text: secrets.redact(part.text) }
      : ofBytes(part.bytes, { uri, mimeType }, (text) => secrets.redact(text));
  });
}

function partsOf(
  answer: Exclude<McpResourceAnswer, null | undefined>,
  mimeType = 'application/json',
): readonly McpContentsPart[] {
  if (typeof answer === 'string') return [{ text: answer }];
  if (answer instanceof Uint8Array) return [{ bytes: answer }];
  if (answer instanceof ArrayBuffer) return [{ bytes: new Uint8Array(answer) }];
  if (isParts(answer)) return answer;
  const copy = copyJson(answer);
  if (copy.ok) return [{ text: JSON.stringify(copy.value), mimeType }];
  const { path, what } = copy.problem;
  throw new Error(`Its value at ${path} is ${what}, which is no JSON.`);
}

/** Makes one content of bytes: a text where they are one, for a client that shows it to a model. */
export function ofBytes(
  bytes: Uint8Array,
  { uri, mimeType = 'application/octet-stream' }: Typed,
  clean: (text: string) => string = (text) => text,
): Contents[number] {
  if (isText(mimeType)) {
    const text = new TextDecoder().decode(bytes);
    const cleaned = clean(text);
    if (!text.includes('\uFFFD') || cleaned !== text) return { uri, mimeType, text: cleaned };
  }
  return { uri, mimeType, blob: toBase64(bytes) };
}
