import type { ClientCapabilities } from '@modelcontextprotocol/server';
import { attempt } from '../../tool/async.ts';
import { fromBase64, toBase64 } from '../../tool/base64.ts';
import type { Json } from '../../tool/json.ts';
import { invalidParams, type RpcError } from '../content/rpc.ts';

/**
 * What a client of the revision 2026-07-28 says with a request, by which it can be asked for more: the answer is what it is asked,
 * and it sends the request again (MCP specification, multi round-trip requests).
 */
export interface AskingClient {
  readonly capabilities: ClientCapabilities;
  /** What it answers, by the keys of what it was asked: anything at all, for nobody has checked it. */
  readonly answers: Readonly<Record<string, unknown>>;
  /** What it was told to send along, unchecked too; `undefined` in the first request. */
  readonly state: unknown;
}

/** A client of an older revision: there the answer to a request asks for nothing. */
export const CANNOT_BE_ASKED: AskingClient = { capabilities: {}, answers: {}, state: undefined };

/** Tells whether a client shows forms to a person. One that declares elicitation and says no more does. */
export const asksPeople = ({ elicitation }: ClientCapabilities): boolean =>
  elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);

/** What a person is told who is asked again: nothing, when nothing was wrong. */
export const notTaken = (problems: readonly string[] = []): readonly string[] =>
  problems.length === 0 ? [] : [`What was answered could not be taken: ${problems.map(sentence).join(' ')}`];

const sentence = (problem: string): string => (problem.endsWith('.') ? problem : `${problem}.`);

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
