import type { ClientCapabilities } from '@modelcontextprotocol/server';

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
