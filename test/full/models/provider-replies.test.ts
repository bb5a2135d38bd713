/**
 * Recorded replies of providers, read by both the AI SDK's providers and Holdfast's adapter. The adapter's
 * replies must contain all data.
 */
import type { LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { describe, expect, it } from 'vitest';
import { fromAiSdk } from '../../../src/model/ai-sdk/entry.ts';
import { partsOf } from '../../../src/model/entry.ts';
import { findModel, type RecordedReply, readReplies } from './recorded-replies.ts';

const recorded = readReplies();
if (!recorded) console.log('provider replies: skipped, there is no ../shared/data/provider-replies');

const options: LanguageModelV4CallOptions = {
  prompt: [{ role: 'user', content: [{ type: 'text', text: 'hello' }] }],
};

/** A part in a form in which both sides can be compared. */
interface ComparablePart {
  readonly type: string;
  readonly said: unknown;
  readonly provider?: unknown;
}

type Fields = Readonly<Record<string, unknown>>;

const toJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value ?? null));

/** Converts a part of the SDK. */
function readSdk(part: Fields): readonly ComparablePart[] {
  const { type, text, toolCallId, toolName, input, result, url, kind, providerMetadata } = part;
  if (kind === 'anthropic.message_start') return [];
  if (type === 'text' && text === '' && !providerMetadata) return [];
  const said = toJson([text, toolCallId, toolName, input, result, url, kind, part.providerExecuted === true]);
  return [{ type: String(type), said, ...(providerMetadata ? { provider: toJson(providerMetadata) } : {}) }];
}

/** Converts a part of the adapter's reply. */
function readOurs(part: Fields): ComparablePart {
  const { type, text, id, name, input, result, url, kind, ranBy, provider } = part;
  const [call, tool] = type === 'source' ? [] : [id, name];
  const said = toJson([text, call, tool, input, result, url, kind, ranBy === 'provider']);
  return { type: String(type), said, ...(provider ? { provider: toJson(provider) } : {}) };
}

/** Combines the parts of a stream. Texts and thoughts are appended, and later data replaces earlier data. */
async function readParts(stream: ReadableStream<unknown>): Promise<readonly ComparablePart[]> {
  const parts: Record<string, unknown>[] = [];
  const open = new Map<unknown, Record<string, unknown>>();
  const reader = stream.getReader();
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    const part = next.value as Fields;
    const [, type, step] = /^(text|reasoning)-(start|delta|end)$/.exec(String(part.type)) ?? [];
    if (step === 'start') {
      const made = { type, text: '' };
      parts.push(made);
      open.set(part.id, made);
    }
    const grown = step ? open.get(part.id) : undefined;
    if (grown) {
      grown.text = `${grown.text}${part.delta ?? ''}`;
      if (part.providerMetadata) grown.providerMetadata = part.providerMetadata;
    }
    if (WHOLE_PARTS.has(String(part.type))) parts.push({ ...part });
  }
  return parts.flatMap(readSdk);
}

const WHOLE_PARTS: ReadonlySet<string> = new Set(['tool-call', 'tool-result', 'file', 'source', 'custom']);

async function readBySdk(reply: RecordedReply): Promise<readonly ComparablePart[]> {
  const model = findModel(reply);
  if (!model) return [];
  if (reply.streamed) return readParts((await model.doStream(options)).stream);
  const { content } = await model.doGenerate(options);
  return content.flatMap((part) => readSdk({ ...part }));
}

async function readByHoldfast(reply: RecordedReply): Promise<readonly ComparablePart[]> {
  const model = findModel(reply);
  if (!model) return [];
  const { provider, modelId, specificationVersion, supportedUrls } = model;
  // A model without streaming returns a whole reply.
  const whole = {
    specificationVersion,
    provider,
    modelId,
    supportedUrls,
    doGenerate: (given: LanguageModelV4CallOptions) => model.doGenerate(given),
  } as LanguageModelV4;
  const asked = fromAiSdk(reply.streamed ? model : whole, { retries: 0 });
  const request = { messages: [{ role: 'user', text: 'hello' }] as const, tools: [] };
  const { text, toolCalls, parts } = await asked.ask(request, { signal: new AbortController().signal });
  return partsOf({ role: 'assistant', text, toolCalls, parts }).map((part) => readOurs({ ...part }));
}

const FAILING_FILES: ReadonlySet<string> = new Set(['openai--openai-error.1.chunks.txt']);

describe.skipIf(!recorded)('a recorded reply', () => {
  const replies = (recorded ?? []).filter(({ file }) => !FAILING_FILES.has(file));
  const [known, unknown] = [replies.filter(findModel), replies.filter((reply) => !findModel(reply))];

  it.each(known.map((reply) => [reply.file, reply] as const))(
    '%s is read with the same parts, order and data as by the SDK',
    async (_, reply) => {
      const expected = await readBySdk(reply);
      expect(expected.length).toBeGreaterThan(0);
      expect(await readByHoldfast(reply)).toEqual(expected);
    },
  );

  it('is skipped only if the package of its provider is not installed', () => {
    console.log(
      `provider replies: ${known.length} read, ${unknown.length} of packages that are not installed`,
    );
    expect(new Set(unknown.map(({ provider }) => provider))).toEqual(new Set(['amazon-bedrock', 'mistral']));
  });

  it('is not read as a reply if it is an error', async () => {
    const reply = (recorded ?? []).find(({ file }) => FAILING_FILES.has(file));
    await expect(reply && readByHoldfast(reply)).rejects.toMatchObject({ name: 'ModelError' });
  });
});
