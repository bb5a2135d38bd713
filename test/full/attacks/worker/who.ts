import type { Authenticate } from '../../../../src/create-holdfast.ts';
import { hasHole, settings } from './settings.ts';

const AUDIENCE = 'holdfast';

/** Authenticates a caller by a JSON Web Token (HS256) with a tenant. */
export const authenticateTenant: Authenticate = async (request) => {
  const [, token] = /^bearer +(\S+)$/i.exec(request.headers.get('authorization') ?? '') ?? [];
  const claims = token === undefined ? undefined : await readClaims(token);
  if (claims === undefined) return null;
  const { sub, tenant, roles, operator } = claims;
  return {
    id: sub as string, // the library rejects values that are not text
    tenant: (hasHole('one-tenant') ? 'zeta' : tenant) as string | undefined,
    roles: roles as readonly string[] | undefined,
    operator: operator as boolean | undefined,
    claims,
  };
};

/** Authenticates the same callers for chats. A token may state that its bearer acts for several persons. */
export const authenticateChatCaller: Authenticate = async (request, env) => {
  const caller = await authenticateTenant(request, env);
  if (caller === null) return null;
  const delegates = hasHole('anybody-delegates') || caller.claims?.delegates;
  return { ...caller, delegates: delegates as boolean | undefined }; // the library rejects values that are not booleans
};

type Claims = Readonly<Record<string, unknown>>;

async function readClaims(token: string): Promise<Claims | undefined> {
  const [head, body, signature, ...more] = token.split('.');
  if (head === undefined || body === undefined || signature === undefined || more.length > 0)
    return undefined;
  const header = parseClaims(head);
  if (header?.alg !== 'HS256') return undefined;
  const key = await crypto.subtle.importKey('raw', encodeText(settings.JWT_KEY), HMAC, false, ['verify']);
  const bytes = decodeBase64Url(signature);
  const holds = bytes && (await crypto.subtle.verify('HMAC', key, bytes, encodeText(`${head}.${body}`)));
  if (!holds) return undefined;
  const claims = parseClaims(body);
  const now = Date.now() / 1000;
  return claims?.aud === AUDIENCE && Number(claims.exp) > now ? claims : undefined;
}

const HMAC = { name: 'HMAC', hash: 'SHA-256' };

const encodeText = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(new TextEncoder().encode(text));

function parseClaims(part: string): Claims | undefined {
  const bytes = decodeBase64Url(part);
  if (!bytes) return undefined;
  try {
    return Object(JSON.parse(new TextDecoder().decode(bytes)));
  } catch {
    return undefined;
  }
}

function decodeBase64Url(part: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    const text = atob(part.replaceAll('-', '+').replaceAll('_', '/'));
    return Uint8Array.from(text, (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}
