/** Internals for tests: shapes and the types of their values. */

export type { EventOf, EventType } from '../../src/journal/events.ts';
export type { Json } from '../../src/tool/json.ts';
export {
  ANY_JSON,
  type Infer,
  type KeysOf,
  NULL,
  NUMBER,
  ONLY_TRUE,
  type Shape,
  TEXT,
  type WithUndefined,
} from '../../src/tool/shape.ts';
