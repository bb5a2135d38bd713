/**
 * The schema of a request to Gemini's `generateContent`. An unknown field is refused with the API's message.
 */
import * as v from 'valibot';
import { RefusalError, type WireRequest } from '../wire.ts';
import { checkMedia, FileData, InlineData, ResponsePart } from './media.ts';

const Call = v.strictObject({
  id: v.optional(v.string()),
  name: v.string(),
  args: v.optional(v.record(v.string(), v.unknown())),
});
const Answer = v.strictObject({
  id: v.optional(v.string()),
  name: v.string(),
  response: v.record(v.string(), v.unknown()),
  parts: v.optional(v.array(ResponsePart)),
});
const Part = v.strictObject({
  text: v.optional(v.string()),
  thought: v.optional(v.boolean()),
  thoughtSignature: v.optional(v.string()),
  functionCall: v.optional(Call),
  functionResponse: v.optional(Answer),
  inlineData: v.optional(InlineData),
  fileData: v.optional(FileData),
  videoMetadata: v.optional(v.looseObject({})),
});
const Content = v.strictObject({ role: v.optional(v.picklist(['user', 'model'])), parts: v.array(Part) });
const Declaration = v.looseObject({ name: v.string() });
const ThinkingConfig = v.strictObject({
  includeThoughts: v.optional(v.boolean()),
  thinkingBudget: v.optional(v.number()),
  thinkingLevel: v.optional(v.string()),
});
const Body = v.strictObject({
  contents: v.array(Content),
  systemInstruction: v.optional(v.strictObject({ role: v.optional(v.string()), parts: v.array(Part) })),
  tools: v.optional(v.array(v.looseObject({ functionDeclarations: v.optional(v.array(Declaration)) }))),
  toolConfig: v.optional(
    v.looseObject({ functionCallingConfig: v.optional(v.looseObject({ mode: v.optional(v.string()) })) }),
  ),
  generationConfig: v.optional(v.looseObject({ thinkingConfig: v.optional(ThinkingConfig) })),
  safetySettings: v.optional(v.array(v.looseObject({}))),
  cachedContent: v.optional(v.string()),
  labels: v.optional(v.record(v.string(), v.string())),
  serviceTier: v.optional(v.string()),
});

export type GeminiPart = v.InferOutput<typeof Part>;
export type GeminiContent = v.InferOutput<typeof Content>;
export type GeminiBody = v.InferOutput<typeof Body>;

export interface GeminiRequest {
  readonly model: string;
  readonly streams: boolean;
  readonly body: GeminiBody;
}

export function parseGeminiRequest({ url, headers, body }: WireRequest): GeminiRequest {
  const [, model, method] = /\/models\/([^/:]+):(\w+)$/.exec(url.pathname) ?? [];
  const streams = method === 'streamGenerateContent';
  if (model === undefined || (method !== 'generateContent' && !streams))
    throw new RefusalError(404, 'Not Found');
  if (streams && url.searchParams.get('alt') !== 'sse') {
    throw new RefusalError(400, 'wire: streams are given as server-sent events only, with alt=sse');
  }
  if (!headers.has('x-goog-api-key') && !url.searchParams.has('key'))
    throw new RefusalError(403, anonymousMessage);
  const parsed = v.safeParse(Body, body);
  if (!parsed.success) throw new RefusalError(400, formatIssue(parsed.issues[0]));
  checkParts(parsed.output);
  checkMedia(model, parsed.output);
  checkThinking(parsed.output);
  return { model, streams, body: parsed.output };
}

const anonymousMessage =
  "Method doesn't allow unregistered callers (callers without established identity). " +
  'Please use API Key or other form of API consumer identity to call this API.';

function formatIssue(issue: v.BaseIssue<unknown>): string {
  const path = issue.path ?? [];
  const last = path.at(-1);
  const at = formatPath(path.slice(0, -1));
  if (issue.expected === 'never') {
    const where = at === '' ? '' : ` at '${at}'`;
    return `Invalid JSON payload received. Unknown name "${String(last?.key)}"${where}: Cannot find field.`;
  }
  return `Invalid value at '${formatPath(path)}': ${issue.message}`;
}

function formatPath(path: readonly v.IssuePathItem[]): string {
  const steps = path.map(({ key }) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`));
  return steps.join('').replace(/^\./, '');
}

/** Parses a body that a wire accepted. */
export const readBody = (body: unknown): GeminiBody => v.parse(Body, body);

const kinds = ['text', 'functionCall', 'functionResponse', 'inlineData', 'fileData'] as const;

function checkParts({ contents }: GeminiBody): void {
  if (contents.length === 0) {
    throw new RefusalError(400, '* GenerateContentRequest.contents: contents is not specified\n');
  }
  for (const [index, { parts }] of contents.entries()) {
    const path = `* GenerateContentRequest.contents[${index}].parts`;
    if (parts.length === 0) throw new RefusalError(400, `${path}: contents.parts must not be empty.\n`);
    for (const [at, part] of parts.entries()) {
      const [, second] = kinds.filter((kind) => part[kind] !== undefined);
      if (second === undefined) continue;
      const place = `contents[${index}].parts[${at}]`;
      throw new RefusalError(
        400,
        `Invalid value at '${place}' (oneof), oneof field 'data' is already set. Cannot set '${second}'`,
      );
    }
    const empty = parts.findIndex((part) => kinds.every((kind) => part[kind] === undefined));
    if (empty === -1) continue;
    throw new RefusalError(
      400,
      `${path}[${empty}].data: required oneof field 'data' must have one initialized field\n`,
    );
  }
}

function checkThinking({ generationConfig }: GeminiBody): void {
  const { thinkingBudget, thinkingLevel } = generationConfig?.thinkingConfig ?? {};
  if (thinkingBudget === undefined || thinkingLevel === undefined) return;
  throw new RefusalError(400, 'You can only set only one of thinking budget and thinking level.');
}
