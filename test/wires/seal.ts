/**
 * Signatures that carry what they were made for. A wire keeps no state, so that a signature itself says of which reply
 * it is and what stood before it; a code over all of that, the seal, shows whether anybody changed it.
 */
import { canonical, fingerprint, isRecord } from './wire.ts';

export type Sealed = Readonly<Record<string, string | number | boolean>>;

/** A blob in base64 that carries the fields and the seal over them. Equal fields give equal blobs. */
export function seal(secret: string, fields: Sealed): string {
  return btoa(JSON.stringify({ ...fields, seal: sealOf(secret, fields) }));
}

/** The fields of a blob that {@link seal} made with the same secret, `undefined` for any other text. */
export function unseal(secret: string, blob: string): Sealed | undefined {
  const value = jsonOf(blob);
  if (!isRecord(value)) return undefined;
  const { seal: _, ...rest } = value;
  const fields: Record<string, string | number | boolean> = {};
  for (const [name, field] of Object.entries(rest)) {
    if (typeof field !== 'string' && typeof field !== 'number' && typeof field !== 'boolean')
      return undefined;
    fields[name] = field;
  }
  // The whole blob is made again: base64 may be read with its last signs cut off.
  return seal(secret, fields) === blob ? fields : undefined;
}

function sealOf(secret: string, fields: Sealed): string {
  return fingerprint([secret, canonical(fields)]);
}

function jsonOf(blob: string): unknown {
  try {
    return JSON.parse(atob(blob));
  } catch {
    return undefined;
  }
}
