import { expectTypeOf } from 'vitest';
import { defineTool, type ModuleUse } from '../../src/index.ts';
import { type PlatformTracing, traceHeaders, tracing } from '../../src/modules/tracing/entry.ts';

expectTypeOf(tracing({ endpoint: 'https://otlp.example.com' })).toEqualTypeOf<ModuleUse>();
tracing({
  endpoint: (env) => {
    expectTypeOf(env).toEqualTypeOf<Readonly<Record<string, unknown>>>();
    return env.OTLP_ENDPOINT;
  },
  headers: (env) => ({ 'x-key': env.OTLP_KEY }),
});

// The platform's own tracing is accepted.
declare const platform: ExecutionContext['tracing'];
expectTypeOf(platform).toExtend<PlatformTracing>();
tracing({ platform });

// @ts-expect-error: content is exported or not.
tracing({ content: 'prompts' });

// @ts-expect-error: headers come from the environment, not from code.
tracing({ headers: { authorization: 'Bearer 123' } });

defineTool({
  name: 'look',
  description: 'Looks.',
  run: (_, call) => {
    expectTypeOf(traceHeaders(call)).toEqualTypeOf<Readonly<Record<string, string>>>();
    return '';
  },
});
