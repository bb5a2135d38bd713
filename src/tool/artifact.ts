import type { CallContext } from './call.ts';
import { keepJson } from './copy-json.ts';
import { type DomainType, isDomainType } from './domain-type.ts';
import type { AsJson, Json } from './json.ts';
import type { AnyTool, ToolOutput } from './tool.ts';
import type { ArtifactType, ToolResult } from './tool-result.ts';

/**
 * The artifact of a tool, as readers of it are given it: a value of the type that was asked for; without a type what
 * `run` returns, as JSON keeps it, when that is an object or a list; `Json` when nothing more is known.
 */
export type ToolArtifact<T extends AnyTool, Type extends ArtifactType | undefined> = Type extends ArtifactType
  ? Type extends DomainType<string, infer Value>
    ? Value
    : Json
  : unknown extends ToolOutput<T>
    ? Json
    : Known<Kept<Exclude<ToolOutput<T>, Words>>>;

/** The artifact of a tool as readers are given it who take lists item by item. */
export type ToolArtifactItem<T extends AnyTool, Type extends ArtifactType | undefined> =
  ToolArtifact<T, Type> extends infer Whole ? (Whole extends readonly (infer Item)[] ? Item : Whole) : never;

/** A result that `run` made itself may hold any artifact. */
type Known<Output> = [Output] extends [never] ? Json : Output extends ToolResult ? Json : Output;

/** As the journal gives it back, when it is an object or a list then. */
type Kept<Output> = Output extends ToolResult ? Output : Extract<AsJson<Output>, object>;

/** The results that hold no artifact. */
type Words = Extract<ToolResult, { readonly type: 'text' | 'error' }>;

/** The artifact of a result as the journal will keep it, before its type has read it. */
export interface KeptArtifact {
  readonly json: Json;
  readonly type: string | undefined;
}

/**
 * A copy of a result's artifact, without secrets, if it has one and it is of this type; a call's end journals the same.
 * `undefined` also for a value of which JSON keeps nothing.
 */
export function keptArtifact(
  result: ToolResult,
  type: ArtifactType | undefined,
  { secrets }: Pick<CallContext, 'secrets'>,
): KeptArtifact | undefined {
  if (result.type !== 'artifact') return undefined;
  if (type !== undefined && result.artifactType !== type.name) return undefined;
  const { value } = keepJson(result.value);
  return value === undefined ? undefined : { json: secrets.redact(value), type: result.artifactType };
}

/** A JSON value read through a type, if it is one of its values; without a type, or of one without a schema, itself. */
export function readAs(json: Json, type: ArtifactType | undefined): { readonly value: unknown } | undefined {
  if (type === undefined || !isDomainType(type)) return { value: json };
  const parsed = type.parse(json);
  return parsed.ok ? { value: parsed.value } : undefined;
}
