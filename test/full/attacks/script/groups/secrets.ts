/** Credentials of tools and of the app, which must not leak through tools, models or errors. */
import { type Attack, containsText, hasStatus, lacksText } from '../attack.ts';
import { sayResult } from '../puppet-model.ts';
import type { Scene } from '../scene.ts';
import { SECRETS } from '../secrets.ts';

/** Returns all output of a turn in which a tool reveals its secret. */
async function readHeardSecrets(
  { ann, own, play }: Scene,
  as: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<string> {
  const came = await ann.post(
    `${own}/messages`,
    { message: play([{ name: 'leak', input: { as } }], sayResult) },
    headers,
  );
  const state = await ann.get(own);
  const events = await ann.get(`${own}/events`);
  return [came, state, events].map(({ text }) => text).join('\n');
}

const encoded = btoa(SECRETS.API_KEY);

const forms = ['plain', 'json', 'url', 'error'] as const;

export const listSecretAttacks = (): readonly Attack[] => [
  ...forms.flatMap((as) =>
    ([{}, { accept: 'text/event-stream' }] as const).map(
      (headers): Attack => ({
        name: `a secret that a tool returns (${as}) is in no ${'accept' in headers ? 'stream' : 'answer'}, state or journal`,
        act: (scene) => readHeardSecrets(scene, as, headers),
        comes: containsText(/\[secret API_KEY\]/),
      }),
    ),
  ),
  {
    name: 'a secret that a tool returns in base64 is in no answer, state or journal',
    act: (scene) => readHeardSecrets(scene, 'base64'),
    comes: lacksText(new RegExp(encoded.slice(0, 16).replaceAll('+', '\\+'))),
  },
  {
    name: 'a secret that a tool returns as Basic credentials is in no answer, state or journal',
    act: (scene) => readHeardSecrets(scene, 'basic'),
    comes: lacksText(new RegExp(btoa(`user:${SECRETS.API_KEY}`).slice(0, 20))),
  },
  ...['/agents', '/openapi.json', '/', '/health'].map(
    (path): Attack => ({
      name: `${path} shows no setting of the Worker`,
      act: async ({ ann }) => (await ann.get(path)).text,
      comes: lacksText(/HOLDFAST_TOKEN|JWT_KEY|GITHUB_SECRET|WORLD_URL|127\.0\.0\.1/),
    }),
  ),
  {
    name: 'the list of agents does not contain their instructions',
    act: async ({ ann }) => (await ann.get('/agents')).text,
    comes: lacksText(/Do what you are asked/),
  },
  {
    name: 'the details of an internal failure are not in the response',
    act: async ({ who }) => (await who({ sub: 7 }).get('/agents')).text,
    comes: lacksText(/`auth`|stack|\.ts|\bat \w+ \(/),
    logs: /id or tenant is empty or not a string/,
  },
  ...['/agents/clerk/sessions/vault', '/agents', '/agents/clerk/sessions/vault/events'].map(
    (path): Attack => ({
      name: `the response of ${path} cannot be cached`,
      act: async ({ zoe }) => String((await zoe.get(path)).headers['cache-control']),
      comes: 'no-store',
    }),
  ),
  {
    name: 'a token in a path is not repeated in full',
    act: ({ ann }) => ann.get(`/agents/${SECRETS.JWT_KEY.slice(0, 10)}/sessions/x`),
    comes: hasStatus(404),
  },
];
