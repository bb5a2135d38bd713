/** Responses of an app without the `files` module to messages with files, and on the routes of files. */
import { expect, it } from 'vitest';
import { createHoldfast } from '../../../../../src/create-holdfast.ts';
import { defineAgent } from '../../../../../src/index.ts';
import { appWith } from '../../http/app.ts';
import { json, newSession, post } from '../../http/client.ts';
import { fileAgent, fileModel } from '../../http/file-app.ts';

const via = appWith({ agents: [fileAgent()] });
const file = { type: 'file', mediaType: 'image/png', data: btoa('some bytes') };

it('an app without the `files` module refuses a file in a message', async () => {
  const response = await post(
    newSession('seer'),
    { message: [{ type: 'text', text: 'See:' }, file] },
    { via },
  );
  expect([response.status, await json(response)]).toMatchObject([
    415,
    {
      type: 'urn:holdfast:problem:unsupported-media-type',
      detail: 'message[1] is a file, but this app accepts no files. Send text.',
      accepts: { data: [], url: [] },
    },
  ]);
});

it('an app without the `files` module accepts a message of several texts', async () => {
  const message = [
    { type: 'text', text: 'See:' },
    { type: 'text', text: 'Nothing.' },
  ];
  expect((await post(newSession('seer'), { message }, { via })).status).toBe(200);
});

it('an app without the `files` module refuses a form', async () => {
  const body = new FormData();
  body.append('message', 'Hello');
  const response = await via(`${newSession('seer')}/messages`, { method: 'POST', body });
  expect([response.status, (await json(response)).detail]).toEqual([
    415,
    'Send the body as application/json.',
  ]);
});

it.each(['GET', 'DELETE'])('an app without the `files` module has no route %s for files', async (method) => {
  const response = await via(`${newSession('seer')}/files/${'a'.repeat(64)}`, { method });
  expect([response.status, (await json(response)).type]).toEqual([404, 'urn:holdfast:problem:unknown-route']);
});

it('an app without the `files` module does not mention files in its list of agents', async () => {
  const { agents } = (await json(await via('/agents'))) as { agents: Record<string, unknown>[] };
  expect(agents[0]).toMatchObject({ name: 'seer' });
  expect(agents[0]).not.toHaveProperty('accepts');
});

it('an app without the `files` module cannot have an agent that accepts files', () => {
  const picky = defineAgent({ name: 'picky', description: 'P.', instructions: 'P.', accepts: ['image/*'] });
  expect(() => createHoldfast({ agents: [picky], model: fileModel() })).toThrow(
    "Agent 'picky': `accepts` needs the module `files()`. Import it from 'holdfast/files' and add it to `use`.",
  );
});
