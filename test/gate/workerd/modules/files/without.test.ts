/** Responses of an app without the `files` module to messages with files, and on the routes of files. */
import { expect, it } from 'vitest';
import { createHoldfast } from '../../../../../src/create-holdfast.ts';
import { defineAgent } from '../../../../../src/index.ts';
import { createTestApp } from '../../http/app.ts';
import { createSessionPath, post, readJson } from '../../http/client.ts';
import { createFileAgent, createFileModel } from '../../http/file-app.ts';

const via = createTestApp({ agents: [createFileAgent()] });
const file = { type: 'file', mediaType: 'image/png', data: btoa('some bytes') };

it('an app without the `files` module refuses a file in a message', async () => {
  const response = await post(
    createSessionPath('seer'),
    { message: [{ type: 'text', text: 'See:' }, file] },
    { via },
  );
  expect([response.status, await readJson(response)]).toMatchObject([
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
  expect((await post(createSessionPath('seer'), { message }, { via })).status).toBe(200);
});

it('an app without the `files` module refuses a form', async () => {
  const body = new FormData();
  body.append('message', 'Hello');
  const response = await via(`${createSessionPath('seer')}/messages`, { method: 'POST', body });
  expect([response.status, (await readJson(response)).detail]).toEqual([
    415,
    'Send the body as application/json.',
  ]);
});

it.each(['GET', 'DELETE'])('an app without the `files` module has no route %s for files', async (method) => {
  const response = await via(`${createSessionPath('seer')}/files/${'a'.repeat(64)}`, { method });
  expect([response.status, (await readJson(response)).type]).toEqual([
    404,
    'urn:holdfast:problem:unknown-route',
  ]);
});

it('an app without the `files` module does not mention files in its list of agents', async () => {
  const { agents } = (await readJson(await via('/agents'))) as { agents: Record<string, unknown>[] };
  expect(agents[0]).toMatchObject({ name: 'seer' });
  expect(agents[0]).not.toHaveProperty('accepts');
});

it('an app without the `files` module cannot have an agent that accepts files', () => {
  const picky = defineAgent({ name: 'picky', description: 'P.', instructions: 'P.', accepts: ['image/*'] });
  expect(() => createHoldfast({ agents: [picky], model: createFileModel() })).toThrow(
    "Agent 'picky': `accepts` needs the module `files()`. Import it from 'holdfast/files' and add it to `use`.",
  );
});
