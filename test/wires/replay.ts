/** Sends a changed copy of a recorded request to a wire. */
import type { Wire } from './wire.ts';

export interface ReplayAnswer {
  readonly status: number;
  /** The message of the error, or `undefined` if the request was accepted. */
  readonly message: string | undefined;
  readonly body: unknown;
}

/** Posts a body as JSON with the provider's headers. */
export async function post(
  wire: Wire,
  url: string,
  { body, headers }: { readonly body: unknown; readonly headers: Readonly<Record<string, string>> },
): Promise<ReplayAnswer> {
  const init = { method: 'POST', body: JSON.stringify(body), headers };
  const response = await wire.handle(new Request(url, init));
  const answer: unknown = await response.json();
  return { status: response.status, message: findMessage(answer), body: answer };
}

function findMessage(answer: unknown): string | undefined {
  if (typeof answer !== 'object' || answer === null || !('error' in answer)) return undefined;
  const { error } = answer;
  const message =
    typeof error === 'object' && error !== null && 'message' in error ? error.message : undefined;
  return typeof message === 'string' ? message : undefined;
}
