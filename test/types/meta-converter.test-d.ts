import { expectTypeOf } from 'vitest';
import type { JsonObject } from '../../src/index.ts';
import { allowKeys, denyKeys, type MetaConverter, noOp, passThrough } from '../../src/mcp/tools/entry.ts';

expectTypeOf(allowKeys('locale', 'tenant')).toEqualTypeOf<MetaConverter>();
expectTypeOf(denyKeys('token')).toEqualTypeOf<MetaConverter>();
export const all: readonly MetaConverter[] = [passThrough, noOp, allowKeys(), denyKeys()];

// A function of your own reads the context, and answers JSON.
export const own: MetaConverter = (context) => {
  expectTypeOf(context.get('locale')).toExtend<JsonObject[string] | undefined>();
  return { lang: context.get('locale') ?? null };
};

// @ts-expect-error What is no JSON cannot be sent.
export const odd: MetaConverter = () => ({ at: new Date() });

// @ts-expect-error It is asked for in the middle of a call, and must answer at once.
export const late: MetaConverter = async () => ({});

// @ts-expect-error Keys are named one by one.
allowKeys(['locale']);
