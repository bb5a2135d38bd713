import {
  ANY_JSON,
  type EventOf,
  type Infer,
  type Json,
  type KeysOf,
  NULL,
  NUMBER,
  ONLY_TRUE,
  type Shape,
  TEXT,
  type WithUndefined,
} from '../doors/shape.ts';

const BASE = { object: { id: TEXT, note: { optional: TEXT } } } as const satisfies Shape;
const VIEW = {
  object: {
    kind: { oneOf: ['a', 'b'] },
    only: { only: 'c' },
    yes: { optional: ONLY_TRUE },
    list: { listOf: { anyOf: [NUMBER, NULL] } },
    map: { mapOf: ANY_JSON },
  },
  and: BASE,
} as const satisfies Shape;

interface View extends Infer<typeof VIEW> {}

interface WrittenView {
  readonly id: string;
  readonly note?: string;
  readonly kind: 'a' | 'b';
  readonly only: 'c';
  readonly yes?: true;
  readonly list: readonly (number | null)[];
  readonly map: { readonly [key: string]: Json };
}

export const toWritten = (view: View): WrittenView => view;
export const toView = (view: WrittenView): View => view;
export const loose: WithUndefined<Infer<typeof BASE>> = { id: '', note: undefined };

export const none: View = { id: '', kind: 'a', only: 'c', list: [1, null], map: { x: [] } };
// @ts-expect-error An optional property is absent, not undefined.
export const absent: View = { ...none, note: undefined };
// @ts-expect-error The shape has no such value.
export const other: View = { ...none, kind: 'c' };
// @ts-expect-error The literal is not a shape.
export const noShape = { object: { id: { type: 'text' } } } as const satisfies Shape;

const EITHER = {
  anyOf: [{ object: { type: { only: 'a' }, a: TEXT } }, { object: { type: { only: 'b' } } }],
} as const satisfies Shape;
type Either = Infer<typeof EITHER>;
export const getText = (one: Either): string => (one.type === 'a' ? one.a : one.type);

export const keys: KeysOf<typeof BASE> = { id: 1, note: 1 };
// @ts-expect-error The check misses a property of its shape.
export const missingKeys: KeysOf<typeof BASE> = { id: 1 };
// @ts-expect-error The check has an additional property.
export const more: KeysOf<typeof BASE> = { id: 1, note: 1, other: 1 };

/** An event has its own properties, and those that identify its turn and loop. */
export const startedFrame: EventOf<'frame-started'> = {
  type: 'frame-started',
  turn: 't1',
  frame: 'c1',
  name: 'clerk',
  message: 'Look.',
};
// @ts-expect-error The outcome belongs to another event.
export const yieldedOutcome: EventOf<'turn-yielded'>['outcome'] = 'failed';
// @ts-expect-error The turn is missing.
export const listedTools: EventOf<'tools-listed'> = { type: 'tools-listed', facts: [] };
