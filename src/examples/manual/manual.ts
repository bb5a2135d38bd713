import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import * as v from 'valibot';
import { defineAgent, defineTool, fallback, readResult } from '../../index.ts';
import { fromAiSdk } from '../../model/ai-sdk/entry.ts';
import { budget } from '../../modules/limits/entry.ts';
import { promptCache } from '../../modules/prompt-cache/entry.ts';

const readChapter = defineTool({
  name: 'read_chapter',
  description: 'Read a chapter of the manual.',
  input: v.object({ chapter: v.pipe(v.number(), v.integer(), v.minValue(1)) }),
  effect: 'read',
  run: async ({ chapter }, { signal }) =>
    (await fetch(`https://manual.example/${chapter}.txt`, { signal })).text(),
});

export const manual = defineAgent({
  name: 'manual',
  description: 'Answers from a manual.',
  instructions: 'Answer from the manual, and say in which chapter it stands.',
  tools: [readChapter, readResult()], // a long chapter is cut, and `readResult` reads the rest
  // Claude, or GPT while Claude is overloaded or unavailable. Each receives its own reasoning back.
  model: (env) => {
    const claude = createAnthropic({ apiKey: String(env.ANTHROPIC_API_KEY) })('claude-sonnet-4-5');
    const gpt = createOpenAI({ apiKey: String(env.OPENAI_API_KEY) })('gpt-5-mini');
    return fallback([
      fromAiSdk(claude, { retries: 0, prices: { input: 3, output: 15, cachedInput: 0.3, cacheWrite: 3.75 } }),
      fromAiSdk(gpt, { prices: { input: 0.25, output: 2, cachedInput: 0.025 } }),
    ]);
  },
  settings: { reasoning: 'medium', maxOutputTokens: 8_000, timeout: { total: 5 * 60_000 } },
  // A chapter is long, and several questions follow. Claude caches by marks in the prompt, and GPT by `key`.
  use: [
    promptCache(({ key }) => ({ key, tools: true, system: true, messages: [-1], ttl: '1h' })),
    budget({ cost: 2 }), // USD for each turn, reserved before each call
  ],
  limits: { iterations: 12 },
});
