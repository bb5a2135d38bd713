import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createAnthropic } from '@ai-sdk/anthropic';
import { createDeepSeek } from '@ai-sdk/deepseek';
import { createGoogle } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModelV4 } from '@ai-sdk/provider';

/** The folder is outside the checkout. */
const FOLDER = resolve(import.meta.dirname, '../../../../shared/data/provider-replies');

/** A recorded reply. Its text is a whole body, or the data lines of a stream. */
export interface RecordedReply {
  readonly file: string;
  readonly provider: string;
  readonly streamed: boolean;
  readonly text: string;
}

/** Returns the recorded replies, or `undefined` if the folder does not exist. */
export function readReplies(): readonly RecordedReply[] | undefined {
  if (!existsSync(FOLDER)) return undefined;
  const files = readdirSync(FOLDER).filter((file) => file.includes('--'));
  return files.sort().flatMap((file) => {
    const text = readFileSync(join(FOLDER, file), 'utf8');
    const streamed = file.endsWith('.chunks.txt');
    const reply = { file, provider: file.split('--', 1)[0] ?? '', streamed };
    // A file contains all replies of a turn.
    const texts = streamed ? text.split(/^(?=\{"type":"message_start")/m) : [text];
    return texts.map((one, at) => ({ ...reply, file: at === 0 ? file : `${file} (${at + 1})`, text: one }));
  });
}

const createCounter = (): (() => string) => {
  let count = 0;
  return () => {
    count += 1;
    return `id_${count}`;
  };
};

type Make = (fetch: typeof globalThis.fetch) => LanguageModelV4;

const apiKey = 'k';
const baseURL = 'http://recorded.test/v1';
const createCompatible =
  (name: string): Make =>
  (fetch) =>
    createOpenAICompatible({ name, baseURL, fetch })('recorded');

/**
 * The installed providers. Chat completions of other providers are read with the OpenAI-compatible provider.
 */
const MODELS: ReadonlyMap<string, Make> = new Map<string, Make>([
  ['anthropic', (fetch) => createAnthropic({ apiKey, fetch })('claude-sonnet-4-6')],
  ['openai', (fetch) => createOpenAI({ apiKey, fetch }).responses('gpt-5.5')],
  // Gemini does not send call ids.
  ['google', (fetch) => createGoogle({ apiKey, fetch, generateId: createCounter() })('gemini-3-pro-preview')],
  ['deepseek', (fetch) => createDeepSeek({ apiKey, fetch })('deepseek-reasoner')],
  ...['alibaba', 'groq', 'moonshotai', 'xai'].map((name) => [name, createCompatible(name)] as const),
]);

/**
 * Returns a model of the provider whose server sends this reply, or `undefined` if the provider is not
 * installed.
 */
export function findModel({ provider, streamed, text }: RecordedReply): LanguageModelV4 | undefined {
  const type = streamed ? 'text/event-stream' : 'application/json';
  const body = streamed ? toSseBody(text, provider) : text;
  const fetch = async (): Promise<Response> => new Response(body, { headers: { 'content-type': type } });
  return MODELS.get(provider)?.(fetch);
}

const toSseBody = (lines: string, provider: string): string =>
  [...lines.split('\n').filter((line) => line.trim() !== ''), ...(provider === 'anthropic' ? [] : ['[DONE]'])]
    .map((line) => `data: ${line}\n\n`)
    .join('');
