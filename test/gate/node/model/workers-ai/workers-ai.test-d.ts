import { expectTypeOf } from 'vitest';
import type { ChatModel } from '../../../../../src/index.ts';
import { type AiBinding, workersAi } from '../../../../../src/model/workers-ai/entry.ts';

// Accepts Cloudflare's own type of the binding, which has an overload for each model.
declare const binding: Ai;
expectTypeOf(
  workersAi(binding, { model: '@cf/meta/llama-3.3-70b-instruct-fp8-fast' }),
).toEqualTypeOf<ChatModel>();
expectTypeOf(workersAi(binding, { model: 'm', timeout: undefined, retries: 0 })).toEqualTypeOf<ChatModel>();

// A wrapper can add inputs to the binding.
const run: AiBinding['run'] = (model, inputs, options) =>
  binding.run(model, inputs, { ...options, gateway: { id: 'my-gateway' } });
expectTypeOf(workersAi({ run }, { model: 'm' })).toEqualTypeOf<ChatModel>();

// @ts-expect-error a model has to be named
workersAi(binding, {});

// @ts-expect-error something else of the environment is no binding of Workers AI
workersAi({} as KVNamespace, { model: 'm' });
