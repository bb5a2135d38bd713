/** The descriptions of what sessions journal, one for each type of event. */
import { EVENTS, PLACES } from '../../journal/events.ts';
import { type Fields, type Schema, type Shape, WHOLE } from '../../tool/shape.ts';
import { refTo } from './to-json-schema.ts';

const nameOf = (type: string): string =>
  `${type}-event`.replaceAll(/(?:^|-)(.)/g, (_, first: string) => first.toUpperCase());

const AT = { type: 'number', says: 'In ms since the epoch.' } as const satisfies Shape;

const SHAPES = Object.entries(PLACES).flatMap(([place, and]) =>
  // Both have the same keys.
  Object.entries<Fields>(EVENTS[place as keyof typeof PLACES]).map(([type, own]): [string, Shape] => [
    type,
    { object: { type: { only: type }, seq: WHOLE, at: AT, ...own }, and },
  ]),
);

/** All types of events. */
export const EVENT_TYPES = SHAPES.map(([type]) => type);

/** The components of all types of events, by their names. */
export const EVENT_COMPONENTS: Readonly<Record<string, Shape>> = Object.fromEntries(
  SHAPES.map(([type, shape]) => [nameOf(type), shape]),
);

/** Returns the schema of any event, which its `type` tells from others. */
export function storedEvent(): Schema {
  const refs = EVENT_TYPES.map((type) => [type, refTo(nameOf(type))] as const);
  return {
    description: 'An event of the journal.',
    oneOf: refs.map(([, ref]) => ref),
    discriminator: {
      propertyName: 'type',
      mapping: Object.fromEntries(refs.map(([type, { $ref }]) => [type, $ref])),
    },
  };
}
