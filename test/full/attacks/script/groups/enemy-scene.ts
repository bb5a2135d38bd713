/** Turns that call a tool of a hostile MCP server. */
import { createEnemyTool, type RecordedRequest, type Scenario } from '../enemy-server.ts';
import type { ReceivedResponse } from '../http.ts';
import { type Reply, sayResult } from '../puppet-model.ts';
import type { Scene } from '../scene.ts';

/** The result of the server's tool, as the model receives it. */
export async function callEnemy(
  scene: Scene,
  scenario: Scenario,
  replies: readonly Reply[] = [[{ name: 'help', input: {} }], sayResult],
): Promise<ReceivedResponse> {
  const { ann, enemy, session, at, play } = scene;
  enemy.stage(session, { tools: [createEnemyTool('help')], ...scenario });
  return ann.post(
    `${at(session, 'librarian')}/messages`,
    { message: play(...replies) },
    { 'x-scenario': session },
  );
}

/** The text that the model receives for the result. */
export const readText = async (coming: Promise<ReceivedResponse>): Promise<string> => {
  const { json, text } = await coming;
  return typeof json?.text === 'string' ? json.text : text;
};

/** Returns the requests that the server received during an attack. */
export const listHeard = ({ enemy, session }: Scene): readonly RecordedRequest[] =>
  enemy.heard.filter(({ scenario }) => scenario === session);
