import type { Caller } from '../../create-holdfast.ts';
import { computeSha256Hex } from './sha256.ts';

export interface ApiKeyEnv {
  readonly DB: D1Database;
}

interface Row {
  readonly id: string;
  readonly tenant: string;
  readonly roles: string;
}

/** Returns the owner of an API key, which a client sends as a bearer token. */
export async function byApiKey(request: Request, { DB }: ApiKeyEnv): Promise<Caller | null> {
  const [, key] = /^bearer +(key_\w+)$/i.exec(request.headers.get('authorization') ?? '') ?? [];
  if (key === undefined) return null;
  const row = await DB.prepare('SELECT id, tenant, roles FROM api_keys WHERE hash = ? AND revoked_at IS NULL')
    .bind(await computeSha256Hex(key))
    .first<Row>();
  return row && { id: row.id, tenant: row.tenant, roles: JSON.parse(row.roles) };
}

/**
 * Creates and returns a key. Show it once, since only its hash is stored. A fast hash is enough for a random
 * key. A password needs a slow hash.
 */
export async function createApiKey({ DB }: ApiKeyEnv, { id, tenant, roles = [] }: Caller): Promise<string> {
  const key = `key_${(crypto.randomUUID() + crypto.randomUUID()).replaceAll('-', '')}`;
  await DB.prepare('INSERT INTO api_keys (hash, id, tenant, roles) VALUES (?, ?, ?, ?)')
    .bind(await computeSha256Hex(key), id, tenant, JSON.stringify(roles))
    .run();
  return key;
}
