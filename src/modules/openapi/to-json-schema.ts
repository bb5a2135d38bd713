import type { Fields, ObjectShape, Schema, Shape } from '../../tool/shape.ts';

/** Returns the name of a shape that is a component, or `undefined`. */
export type NameResolver = (shape: object) => string | undefined;

export const createRef = (name: string): { readonly $ref: string } => ({
  $ref: `#/components/schemas/${name}`,
});

/**
 * Converts a shape to a JSON Schema. Objects are open, because later versions can add properties, and clients
 * generated from an older description ignore them.
 */
export function toJsonSchema(shape: Shape, nameOf: NameResolver = () => undefined): Schema {
  const convertInner = (one: Shape): Schema => {
    const name = nameOf(one);
    return name === undefined ? toJsonSchema(one, nameOf) : createRef(name);
  };
  return {
    ...toPlainSchema(shape, convertInner),
    ...(shape.says !== undefined && { description: shape.says }),
  };
}

function toPlainSchema(shape: Shape, inner: (shape: Shape) => Schema): Schema {
  if ('object' in shape) return toObjectSchema(shape, inner);
  if ('listOf' in shape) return { type: 'array', items: inner(shape.listOf), ...shape.also };
  if ('mapOf' in shape) return { type: 'object', additionalProperties: inner(shape.mapOf) };
  if ('anyOf' in shape) return { anyOf: shape.anyOf.map(inner) };
  if ('oneOf' in shape) return { type: 'string', enum: shape.oneOf };
  if ('only' in shape) return { ...(shape.only !== true && { type: 'string' }), const: shape.only };
  if ('type' in shape) return { type: shape.type, ...shape.also };
  if ('like' in shape) return inner(typeof shape.like === 'function' ? shape.like() : shape.like);
  return typeof shape.schema === 'function' ? shape.schema() : shape.schema;
}

function toObjectSchema(shape: ObjectShape, inner: (shape: Shape) => Schema): Schema {
  const fields = Object.entries(collectFields(shape));
  const required = fields.flatMap(([name, field]) => ('optional' in field ? [] : name));
  const properties = fields.map(([name, field]) => [
    name,
    inner('optional' in field ? field.optional : field),
  ]);
  return {
    type: 'object',
    ...(required.length > 0 && { required }),
    properties: Object.fromEntries(properties),
    ...shape.also,
  };
}

const collectFields = ({ object, and }: ObjectShape): Fields => ({
  ...(and && collectFields(and)),
  ...object,
});
