import { expectTypeOf } from 'vitest';
import type { JsonObject } from '../../src/index.ts';
import { allowKeys, denyKeys, type MetaConverter, noOp, passThrough } from '../../src/mcp/tools/entry.ts';

expectTypeOf(allowKeys('locale', 'tenant')).toEqualTypeOf<MetaConverter>();
expectTypeOf(denyKeys('token')).toEqualTypeOf<MetaConverter>();
export const all: readonly MetaConverter[] = [passThrough, noOp, allowKeys(), denyKeys()];

// A custom function reads the context, and returns JSON.
export const convertOwn: MetaConverter = (context) => {
  expectTypeOf(context.get('locale')).toExtend<JsonObject[string] | undefined>();
  return { lang: context.get('locale') ?? null };
};

// @ts-expect-error Only JSON can be sent.
export const convertOdd: MetaConverter = () => ({ at: new Date() });

// @ts-expect-error A converter cannot be asynchronous.
export const convertLater: MetaConverter = async () => ({});

// @ts-expect-error Keys are separate arguments.
allowKeys(['locale']);
