/** Updates a conversation: clients can change its title. */
import { findTitleProblem, setTitle, toIndexApp } from '../../../modules/index/ask.ts';
import { isJsonObject, type JsonObject } from '../../../tool/json.ts';
import type { ModuleRequest, RouteSession } from '../../../worker/module-request.ts';
import { runInSession } from '../../../worker/session-from-code.ts';
import { createInvalidValueError, createUnsupportedParameterError, isEmpty } from '../read-body.ts';
import { OpenAiError } from '../refuse.ts';

/**
 * Sets or removes the title of a conversation according to the body of a request. Returns the title, or
 * `null`. While a turn runs, the index receives the title when the turn stops.
 *
 * @throws OpenAiError if the body contains anything else.
 */
export async function updateTitle(
  asked: ModuleRequest,
  { agent, session }: RouteSession,
): Promise<string | null> {
  const title = readTitle(await asked.json());
  await runInSession(asked.session({ agent, session }), (at) => setTitle(toIndexApp(at), at.target, title));
  return title;
}

/**
 * Returns the title, or `null` if the metadata has no title. @throws OpenAiError if the metadata has other
 * keys.
 */
function readTitle(body: JsonObject): string | null {
  const { metadata, ...others } = body;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) {
    const param = unknown.slice(0, 80);
    throw new OpenAiError(`Unknown parameter: '${param}'.`, { param, code: 'unknown_parameter' });
  }
  if (metadata === undefined) throw createInvalidValueError('metadata', 'an object or null');
  if (isEmpty(metadata)) return null;
  if (!isJsonObject(metadata)) throw createInvalidValueError('metadata', 'an object');
  const [other] = Object.keys(metadata).filter((key) => key !== 'title');
  if (other !== undefined)
    throw createUnsupportedParameterError(
      `metadata.${other.slice(0, 64)}`,
      "a conversation can only have a 'title'.",
    );
  const { title } = metadata;
  if (typeof title !== 'string' || findTitleProblem(title) !== undefined)
    throw createInvalidValueError('metadata.title', 'a line of 1 to 200 characters');
  return title;
}
