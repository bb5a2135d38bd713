/** Updates a conversation: clients can change its title. */
import { askingApp, setTitle, titleProblem } from '../../../modules/index/ask.ts';
import { isJsonObject, type JsonObject } from '../../../tool/json.ts';
import type { ModuleRequest, RouteSession } from '../../../worker/module-request.ts';
import { inSession } from '../../../worker/session-from-code.ts';
import { invalid, isEmpty, notTaken } from '../read-body.ts';
import { OpenAiError } from '../refuse.ts';

/**
 * Sets or removes the title of a conversation, as the body of a request says. Returns the title, or `null`.
 * While a turn runs, the index receives the title when the turn stops.
 *
 * @throws OpenAiError if the body contains anything else.
 */
export async function setTitleOf(
  asked: ModuleRequest,
  { agent, session }: RouteSession,
): Promise<string | null> {
  const title = titleOf(await asked.json());
  await inSession(asked.session({ agent, session }), (at) => setTitle(askingApp(at), at.target, title));
  return title;
}

/**
 * Returns the title, or `null` if the metadata has no title. @throws OpenAiError if the metadata has other
 * keys.
 */
function titleOf(body: JsonObject): string | null {
  const { metadata, ...others } = body;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) {
    const param = unknown.slice(0, 80);
    throw new OpenAiError(`Unknown parameter: '${param}'.`, { param, code: 'unknown_parameter' });
  }
  if (metadata === undefined) throw invalid('metadata', 'there, or null');
  if (isEmpty(metadata)) return null;
  if (!isJsonObject(metadata)) throw invalid('metadata', 'an object');
  const [other] = Object.keys(metadata).filter((key) => key !== 'title');
  if (other !== undefined)
    throw notTaken(`metadata.${other.slice(0, 64)}`, "a conversation keeps its 'title' alone.");
  const { title } = metadata;
  if (typeof title !== 'string' || titleProblem(title) !== undefined)
    throw invalid('metadata.title', 'a line of 1 to 200 characters');
  return title;
}
