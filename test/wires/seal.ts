/**
 * Signatures that contain their own data, because wires keep no state. A signature contains its reply and its
 * prefix. The seal is a hash of these fields that reveals any change.
 */
import { computeFingerprint, formatCanonicalJson, isRecord } from './wire.ts';

export type SealFields = Readonly<Record<string, string | number | boolean>>;

/** Returns a base64 blob with the fields and their seal. Equal fields yield equal blobs. */
export function seal(secret: string, fields: SealFields): string {
  return btoa(JSON.stringify({ ...fields, seal: computeSeal(secret, fields) }));
}

/** Returns the fields of a blob that {@link seal} made with the same secret, or `undefined`. */
export function unseal(secret: string, blob: string): SealFields | undefined {
  const value = parseBlob(blob);
  if (!isRecord(value)) return undefined;
  const { seal: _, ...rest } = value;
  const fields: Record<string, string | number | boolean> = {};
  for (const [name, field] of Object.entries(rest)) {
    if (typeof field !== 'string' && typeof field !== 'number' && typeof field !== 'boolean')
      return undefined;
    fields[name] = field;
  }
  // Rebuilds the blob, because base64 with truncated last characters can decode to the same bytes.
  return seal(secret, fields) === blob ? fields : undefined;
}

function computeSeal(secret: string, fields: SealFields): string {
  return computeFingerprint([secret, formatCanonicalJson(fields)]);
}

function parseBlob(blob: string): unknown {
  try {
    return JSON.parse(atob(blob));
  } catch {
    return undefined;
  }
}
