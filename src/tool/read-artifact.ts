import type { CallScope } from './call.ts';
import { isDomainType } from './domain-type.ts';
import { copyJson, type Json } from './json.ts';
import type { ArtifactType, ToolResult } from './tool-result.ts';

/** The artifact of a result as the journal will keep it, before its type has read it. */
export interface KeptArtifact {
  readonly json: Json;
  readonly type: string | undefined;
}

/**
 * A copy of a result's artifact, without secrets, if it has one and it is of this type; a call's end journals the same.
 * `undefined` also for a value that is not JSON, which the call's end makes an error.
 */
export function keptArtifact(
  result: ToolResult,
  type: ArtifactType | undefined,
  { secrets }: Pick<CallScope, 'secrets'>,
): KeptArtifact | undefined {
  if (result.type !== 'artifact') return undefined;
  if (type !== undefined && result.artifactType !== type.name) return undefined;
  const copy = copyJson(result.value);
  return copy.ok ? { json: secrets.redact(copy.value), type: result.artifactType } : undefined;
}

/** A JSON value read through a type, if it is one of its values; without a type, or of one without a schema, itself. */
export function readAs(json: Json, type: ArtifactType | undefined): { readonly value: unknown } | undefined {
  if (type === undefined || !isDomainType(type)) return { value: json };
  const parsed = type.parse(json);
  return parsed.ok ? { value: parsed.value } : undefined;
}
