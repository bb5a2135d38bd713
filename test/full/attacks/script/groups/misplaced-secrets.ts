/**
 * A definition that receives a secret instead of the secret's name. The runner also searches responses,
 * journals, logs and requests for this secret.
 */
import { type Attack, containsText, isProblem, lacksText, passesAll } from '../attack.ts';
import { sayResult } from '../puppet-model.ts';
import type { Scene } from '../scene.ts';
import { SECRETS } from '../secrets.ts';

const senders = ['github', 'slack', 'stripe', 'standard'] as const;

const isUnsigned = isProblem(
  503,
  'not-configured',
  'This Worker has no secret to verify the delivery. Set the var that the `secret` of this webhook reads (wrangler secret put).',
);

const silent = lacksText(new RegExp(SECRETS.MISPLACED));

/** Makes the careless agent call a tool. Returns its answer, state and journal. */
async function readHeardSecrets({ ann, play }: Scene, tool: string): Promise<string> {
  const own = `/agents/careless/sessions/${tool}`;
  const came = await ann.post(`${own}/messages`, {
    message: play([{ name: tool, input: {} }], sayResult),
  });
  const state = await ann.get(own);
  const events = await ann.get(`${own}/events`);
  return [came, state, events].map(({ text }) => text).join('\n');
}

export const listMisplacedSecretAttacks = (): readonly Attack[] => [
  ...senders.map(
    (sender): Attack => ({
      name: `the response to an unsigned delivery to ${sender} does not contain the secret`,
      act: ({ nobody }) => nobody.post(`/hooks/careless-${sender}`, { action: 'opened' }),
      comes: isUnsigned,
    }),
  ),
  ...['/agents', '/openapi.json'].map(
    (path): Attack => ({
      name: `the response of ${path} does not contain the token`,
      act: ({ nobody }) => nobody.at('careless').get(path, { authorization: `Bearer ${SECRETS.MISPLACED}` }),
      comes: isProblem(
        401,
        'not-configured',
        'This Worker has no token yet. Set the secret that its bearerToken reads.',
      ),
    }),
  ),
  {
    name: 'a tool that requires the secret fails without showing it in the answer, the state or the journal',
    act: (scene) => readHeardSecrets(scene, 'demand'),
    comes: passesAll(silent, containsText(/There is no secret with the name passed to `secrets\.require`/)),
    logs: /Tool 'demand' threw/,
  },
  {
    name: 'the model receives the reason why its MCP server is unreachable, without the bearer token',
    act: (scene) => readHeardSecrets(scene, 'careless_is_not_reachable'),
    comes: passesAll(
      silent,
      containsText(/needs the secret that its `bearer` names, which this caller does not have/),
    ),
    logs: /careless_is_not_reachable/,
  },
];
