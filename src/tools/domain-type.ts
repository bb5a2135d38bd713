import type { StandardSchemaV1 } from '@standard-schema/spec';
import { InputSchemaError, type ParsedInput, toInputSchema } from './input-schema.ts';
import { issueLines } from './problem-lines.ts';
import type { JsonSchema } from './tool.ts';
import type { ArtifactType } from './tool-result.ts';

/** A type of artifacts whose values are checked. Nominal: the journal keeps its name, so renaming it is a new type. */
export interface DomainType<Name extends string = string, Value = unknown> extends ArtifactType {
  readonly name: Name;
  /** What a value looks like as JSON; the same object on every read. */
  readonly json: JsonSchema;
  /** A value as it came back from the journal, read through the schema; or what is wrong with it. Never throws. */
  parse(value: unknown): ParsedInput<Value>;
}

/** The literal that `defineDomainType` takes. */
export interface DomainTypeConfig<Name extends string, Schema extends StandardSchemaV1> {
  /** Letters, digits, `_` and `-`, at most 64. */
  readonly name: Name;
  /** Describes a JSON object: Valibot, Zod 4, ArkType. Synchronous, since conditions are asked between two events. */
  readonly schema: Schema;
}

/**
 * Declares a type of artifacts: `output: Customer` on a tool, or `artifact(text, Customer, value)`. What is journaled
 * is the value's JSON, the schema's input; sinks, conditions and other readers are given the schema's output.
 *
 * @throws DomainTypeError when the name is no name, or the schema cannot be written as the JSON Schema of an object.
 */
export function defineDomainType<const Name extends string, Schema extends StandardSchemaV1>({
  name,
  schema,
}: DomainTypeConfig<Name, Schema>): DomainType<Name, StandardSchemaV1.InferOutput<Schema>> {
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(name)) {
    throw new DomainTypeError(name, 'name', 'is not a name: use 1 to 64 of the characters A-Z a-z 0-9 _ -');
  }
  return { name, json: jsonOf(name, schema), parse: (value) => parsed(name, schema, value) };
}

/** Whether artifacts of this type can be checked, and not only told apart by its name. */
export const isDomainType = (type: ArtifactType): type is DomainType => 'parse' in type;

/** A domain type was declared wrongly; thrown where it is defined. */
export class DomainTypeError extends Error {
  override readonly name = 'DomainTypeError';
  /** The name that was given, valid or not. */
  readonly type: string;
  /** The property of the definition that is wrong. */
  readonly field: 'name' | 'schema';

  /** `problem` is a sentence that goes on after "Domain type 'x' ". */
  constructor(type: string, field: 'name' | 'schema', problem: string, options?: ErrorOptions) {
    super(`Domain type '${type.slice(0, 80)}' ${problem}.`, options);
    this.type = type;
    this.field = field;
  }
}

function jsonOf(name: string, schema: StandardSchemaV1): JsonSchema {
  try {
    return toInputSchema(schema).json;
  } catch (cause) {
    if (!(cause instanceof InputSchemaError)) throw cause;
    const problem = 'needs a schema of a JSON object that can be written as JSON Schema';
    throw new DomainTypeError(name, 'schema', problem, { cause });
  }
}

function parsed<Value>(
  name: string,
  schema: StandardSchemaV1<unknown, Value>,
  value: unknown,
): ParsedInput<Value> {
  const result = attempt(() => schema['~standard'].validate(value));
  if (result instanceof Promise) {
    result.catch(() => undefined); // Nobody will wait for it.
    return refused(`The schema of '${name}' is asynchronous; use a synchronous one.`);
  }
  if (result === undefined) return refused(`The schema of '${name}' failed.`);
  return result.issues
    ? { ok: false, problems: issueLines(result.issues) }
    : { ok: true, value: result.value };
}

const refused = (problem: string): ParsedInput<never> => ({ ok: false, problems: [problem] });

function attempt<Value>(validate: () => Value): Value | undefined {
  try {
    return validate();
  } catch {
    return undefined;
  }
}
