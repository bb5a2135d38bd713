import { attempt } from '../../tool/async.ts';
import { fromBase64, toBase64 } from '../../tool/base64.ts';
import type { Json } from '../../tool/json.ts';
import { invalidParams, type RpcError } from '../content/rpc.ts';

/** Stands before every state, with the version of its form. */
const MARK = 'holdfast-1.';

/**
 * Makes the text that a client sends back with its answers (MCP specification, `requestState`). Nothing in it is secret, and
 * nothing is believed because it is in it: whoever reads it checks it as any other parameter.
 */
export const toRequestState = (value: Json): string =>
  `${MARK}${toBase64(new TextEncoder().encode(JSON.stringify(value)))}`;

/** Reads what `toRequestState` made. @throws RpcError when it did not make this. */
export function fromRequestState(state: string): unknown {
  const bytes = state.startsWith(MARK) ? fromBase64(state.slice(MARK.length)) : undefined;
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  const parsed = attempt((): unknown => bytes && JSON.parse(decoder.decode(bytes)));
  if (!parsed.ok || parsed.value === undefined) throw invalidState();
  return parsed.value;
}

/** Refuses a state that was given out for something else, or by nobody. */
export const invalidState = (): RpcError =>
  invalidParams(
    '`requestState` is none that was answered to this request. Send it back as it came, with the `name` and `arguments` ' +
      'of the first request, or leave it out to begin anew.',
  );
