/** The names of owners: a unique text for each, in paths, queries and the names of objects. */
import type { Owner } from './call-origin.ts';

/** Returns the name of an owner: `id:ann` or `tenant:acme`. Names are unique. */
export const toOwnerKey = ({ id = '', tenant }: Owner): string =>
  tenant === undefined ? `id:${encodeName(id)}` : `tenant:${encodeName(tenant)}`;

/**
 * Encodes a name with a lone surrogate as JSON, because object names and paths would replace the surrogate.
 */
const encodeName = (name: string): string =>
  name.isWellFormed() && name[0] !== '"' ? name : JSON.stringify(name);

/** Returns the owner with this name, or `undefined` if no owner can have it. */
export function parseOwnerKey(key: string): Owner | undefined {
  const [, kind, written = ''] = /^(id|tenant):(.+)$/s.exec(key) ?? [];
  const name = written[0] === '"' ? parseQuotedName(written) : written;
  if (typeof name !== 'string' || name === '') return undefined;
  return kind === 'id' ? { id: name } : { tenant: name };
}

function parseQuotedName(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
