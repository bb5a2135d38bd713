import type { LanguageModelV3, LanguageModelV4 } from '@ai-sdk/provider';
import { expectTypeOf } from 'vitest';
import type { ChatModel } from '../../../../../src/index.ts';
import { fromAiSdk } from '../../../../../src/model/ai-sdk/entry.ts';

declare const model: LanguageModelV4;
declare const older: LanguageModelV3;

expectTypeOf(fromAiSdk(model)).toEqualTypeOf<ChatModel>();
expectTypeOf(fromAiSdk(older)).toEqualTypeOf<ChatModel>();
expectTypeOf(fromAiSdk(model, { timeout: undefined, retries: 0 })).toEqualTypeOf<ChatModel>();
expectTypeOf(
  fromAiSdk(older, { media: { message: { data: ['image/png'], url: [] }, result: { data: [], url: [] } } }),
).toEqualTypeOf<ChatModel>();

// @ts-expect-error files stand in messages and in results
fromAiSdk(model, { media: { message: { data: ['image/png'], url: [] } } });

// @ts-expect-error the name of a model is not a model
fromAiSdk('openai/gpt-5');

// @ts-expect-error an older specification has other prompts, streams and counts
fromAiSdk({ ...model, specificationVersion: 'v2' as const });
