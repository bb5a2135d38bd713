import type { Fields, SchemaOf } from '../doors/openapi.ts';

declare const text: SchemaOf<string>;
declare const word: SchemaOf<'a' | 'b'>;
declare const whole: SchemaOf<number>;

interface View {
  readonly name: string;
  readonly kind: 'a' | 'b';
  readonly count?: number;
}

export const exact: Fields<View> = { name: text, kind: word, 'count?': whole };
// @ts-expect-error A property of the type has no schema.
export const less: Fields<View> = { name: text, kind: word };
// @ts-expect-error A schema is of no property of the type.
export const more: Fields<View> = { name: text, kind: word, 'count?': whole, news: text };
// @ts-expect-error The property may be absent.
export const needed: Fields<View> = { name: text, kind: word, count: whole };
// @ts-expect-error Any text is more than the type has.
export const wider: Fields<View> = { name: text, kind: text, 'count?': whole };
// @ts-expect-error The type has any text.
export const narrower: Fields<View> = { name: word, kind: word, 'count?': whole };
// @ts-expect-error What is no more than JSON says nothing of its values.
export const plain: SchemaOf<string> = { type: 'string' };
