import { isJsonObject, type JsonObject } from '../../tools/json.ts';
import { IDEMPOTENCY_KEY } from '../idempotency-key.ts';
import { invalidParams } from '../rpc-error.ts';
import type { ProgressToken } from './telling.ts';

/** What a `tools/call` asks for. */
export interface CallParams {
  readonly name: string;
  readonly input: JsonObject;
  /** Names the call: sent again under it, it is the same one. */
  readonly key: string | undefined;
  /** The client wishes to hear of progress, and knows it by this. */
  readonly progressToken: ProgressToken | undefined;
}

/** Reads the params of a `tools/call`. @throws RpcError when they are none. */
export function readCallParams({ name, arguments: input = {}, _meta = {} }: JsonObject): CallParams {
  if (typeof name !== 'string') throw invalidParams('`name` must be text: the name of a tool.');
  if (!isJsonObject(input)) throw invalidParams('`arguments` must be an object.');
  if (!isJsonObject(_meta)) throw invalidParams('`_meta` must be an object.');
  return { name, input, key: keyOf(_meta), progressToken: tokenOf(_meta) };
}

function keyOf({ [IDEMPOTENCY_KEY]: key }: JsonObject): string | undefined {
  if (key === undefined) return undefined;
  if (typeof key === 'string' && /^[\x21-\x7e]{1,255}$/.test(key)) return key;
  throw invalidParams(`\`_meta["${IDEMPOTENCY_KEY}"]\` must be 1 to 255 visible ASCII characters.`);
}

function tokenOf({ progressToken: token }: JsonObject): ProgressToken | undefined {
  if (token === undefined) return undefined;
  if (typeof token === 'string' || Number.isInteger(token)) return token as ProgressToken; // as just checked
  throw invalidParams('`_meta.progressToken` must be text or a whole number.');
}
