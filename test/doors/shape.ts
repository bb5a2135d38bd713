/** A door for tests. Shapes and the types of their values. */

export type { EventOf, EventType } from '../../src/journal/events.ts';
export type { Json } from '../../src/tool/json.ts';
export {
  ANY_JSON,
  type Infer,
  type KeysOf,
  type Loose,
  NULL,
  NUMBER,
  type Shape,
  TEXT,
  YES,
} from '../../src/tool/shape.ts';
