import { expect, it } from 'vitest';
import { files } from '../../../../src/modules/files/entry.ts';
import { openAi } from '../../../../src/surfaces/openai/entry.ts';
import { createTestApp } from '../http/app.ts';
import { readJournal } from '../http/client.ts';
import { createFileAgent } from '../http/file-app.ts';
import { createOpenAiClient } from './openai-app.ts';

const via = createTestApp({ agents: [createFileAgent()], use: [openAi(), files()] });
const client = createOpenAiClient(via);

const PNG_URL = `data:image/png;base64,${btoa('a picture')}`;
const link = { type: 'file', mediaType: 'image/webp', url: 'https://pictures.example/one.webp' };
const picture = { type: 'file', mediaType: 'image/png', size: 9 };
const paper = { type: 'file', mediaType: 'application/pdf', name: 'paper.pdf', size: 7 };

it('a response receives the images and files of its input', async () => {
  const response = await client.responses.create({
    model: 'seer',
    input: [
      {
        role: 'user',
        content: [
          { type: 'input_text', text: 'What is this?' },
          { type: 'input_image', image_url: PNG_URL, detail: 'auto' },
          { type: 'input_image', image_url: link.url, detail: 'auto' },
          { type: 'input_file', file_data: btoa('a paper'), filename: 'paper.pdf' },
        ],
      },
    ],
  });
  expect(response.output_text).toBe('Seen.');
  const [, started] = await readJournal(`/agents/seer/sessions/${response.conversation?.id}`, via);
  const question = { type: 'text', text: 'What is this?' };
  expect(started).toMatchObject({ type: 'turn-started', parts: [question, picture, link, paper] });
});

it.each(['constructor', '__proto__', 'toString'])(
  'an unknown file extension declares no media type: %s',
  async (ending) => {
    const url = `https://pictures.example/one.${ending}`;
    const response = await client.responses.create({
      model: 'seer',
      input: [{ role: 'user', content: [{ type: 'input_image', image_url: url, detail: 'auto' }] }],
    });
    const [, started] = await readJournal(`/agents/seer/sessions/${response.conversation?.id}`, via);
    expect(started).toMatchObject({ parts: [{ type: 'file', mediaType: 'image/jpeg', url }] });
  },
);

it.each(['https://169.254.169.254/latest', 'https://[::ffff:7f00:1]/a.png'])(
  'an image URL %s is refused by either protocol, since it points to a private network',
  async (url) => {
    const refused = {
      status: 422,
      message: expect.stringContaining('url: points to a private network, so send the file itself'),
    };
    const content = [{ type: 'input_image' as const, image_url: url, detail: 'auto' as const }];
    const response = client.responses.create({ model: 'seer', input: [{ role: 'user', content }] });
    await expect(response).rejects.toMatchObject(refused);
    const chat = client.chat.completions.create({
      model: 'seer',
      messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }],
    });
    await expect(chat).rejects.toMatchObject(refused);
  },
);

it('a response does not load the files of earlier messages', async () => {
  const first = await client.responses.create({ model: 'seer', input: 'Hello.' });
  const response = await client.responses.create({
    model: 'seer',
    input: [
      { role: 'user', content: [{ type: 'input_image', image_url: 'data:,none', detail: 'auto' }] },
      ...first.output.filter((item) => item.type === 'message'),
      { role: 'user', content: 'And now?' },
    ],
  });
  expect(response.output_text).toBe('Seen.');
  expect(response.conversation?.id).toBe(first.conversation?.id);
});

it('a chat completion receives the images and files of its message', async () => {
  const { data, response } = await client.chat.completions
    .create({
      model: 'seer',
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is this?' },
            { type: 'image_url', image_url: { url: PNG_URL } },
            { type: 'image_url', image_url: { url: link.url } },
            {
              type: 'file',
              file: { file_data: `data:application/pdf;base64,${btoa('a paper')}`, filename: 'paper.pdf' },
            },
          ],
        },
      ],
    })
    .withResponse();
  expect(data.choices[0]?.message.content).toBe('Seen.');
  const session = response.headers.get('x-holdfast-session') ?? '';
  const [, started] = await readJournal(`/agents/seer/sessions/${session}`, via);
  const question = { type: 'text', text: 'What is this?' };
  expect(started).toMatchObject({ parts: [question, picture, link, paper] });
});

it('an image that the agent does not accept is refused with the protocol’s error', async () => {
  const refused = client.responses.create({
    model: 'seer',
    input: [
      {
        role: 'user',
        content: [{ type: 'input_image', image_url: `data:image/gif;base64,${btoa('x')}`, detail: 'auto' }],
      },
    ],
  });
  await expect(refused).rejects.toMatchObject({
    status: 415,
    type: 'invalid_request_error',
    code: 'unsupported_media_type',
  });
});
