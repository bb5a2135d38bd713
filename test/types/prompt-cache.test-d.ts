import { expectTypeOf } from 'vitest';
import { defineAgent } from '../../src/index.ts';
import type { ModelRequest } from '../../src/model/entry.ts';
import { promptCache } from '../../src/modules/prompt-cache/entry.ts';
import type { ModuleUse } from '../doors/tools.ts';

const base = { name: 'clerk', description: 'Works.', instructions: 'Work.' };

// The setting is `auto`, `off`, or a function of the request.
expectTypeOf(promptCache('auto')).toEqualTypeOf<ModuleUse>();
defineAgent({ ...base, use: [promptCache('off')] });
promptCache(({ key, messages, tools }) => {
  expectTypeOf(key).toBeString();
  expectTypeOf(messages).toEqualTypeOf<ModelRequest['messages']>();
  return tools.length > 0 ? { key, tools: true, system: true, messages: [-1], ttl: '1h' } : undefined;
});
// @ts-expect-error: there is no such word
promptCache('on');
// @ts-expect-error: marks are returned by a function
promptCache({ system: true });
// @ts-expect-error: there is no such time
promptCache(() => ({ ttl: '1d' }));
// @ts-expect-error: the function cannot be asynchronous
promptCache(async () => ({ system: true }));
// @ts-expect-error: the cache is a module, not an option
defineAgent({ ...base, cache: 'off' });
