import { expectTypeOf } from 'vitest';
import { defineAgent } from '../../src/index.ts';
import type { ModelRequest } from '../../src/model/entry.ts';
import { promptCache } from '../../src/modules/prompt-cache/entry.ts';
import type { ModuleUse } from '../doors/tools.ts';

const base = { name: 'clerk', description: 'Works.', instructions: 'Work.' };

// What is to be kept of the requests of an agent is one of two words, or returned by a function.
expectTypeOf(promptCache('auto')).toEqualTypeOf<ModuleUse>();
defineAgent({ ...base, use: [promptCache('off')] });
promptCache(({ key, messages, tools }) => {
  expectTypeOf(key).toBeString();
  expectTypeOf(messages).toEqualTypeOf<ModelRequest['messages']>();
  return tools.length > 0 ? { key, tools: true, system: true, messages: [-1], ttl: '1h' } : undefined;
});
// @ts-expect-error: neither of the words
promptCache('on');
// @ts-expect-error: marks are made by a function
promptCache({ system: true });
// @ts-expect-error: no such time
promptCache(() => ({ ttl: '1d' }));
// @ts-expect-error: a request waits for nobody
promptCache(async () => ({ system: true }));
// @ts-expect-error: an agent uses the module
defineAgent({ ...base, cache: 'off' });
