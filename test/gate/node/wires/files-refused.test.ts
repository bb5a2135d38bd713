/** The errors that the strict servers return for files that real servers refuse. */
import { expect, it } from 'vitest';
import { createSampleFile, SAMPLE_FILES } from '../../../wires/sample-files.ts';
import type { WireName } from '../../../wires/session/servers.ts';
import { type FileScene, type PlayedScene, playScene } from './file-scene.ts';

const PNG = SAMPLE_FILES['image/png'];
const WAV = SAMPLE_FILES['audio/wav'];
const photo = createSampleFile('image/png', 'photo.png');
const paper = createSampleFile('application/pdf', 'paper.pdf');
const bothFiles = { message: [photo, paper], result: [photo, paper] };
const scenes: Partial<Record<WireName, FileScene>> = {
  'deepseek-sdk': { message: [photo], result: [photo] },
  kimi: { message: [photo, paper, createSampleFile('audio/wav')] },
};
const playedScenes = new Map<WireName, Promise<PlayedScene>>();

/** Plays the scene of a wire, once for all tests. */
function getScene(wire: WireName): Promise<PlayedScene> {
  const scene = playedScenes.get(wire) ?? playScene(wire, scenes[wire] ?? bothFiles);
  playedScenes.set(wire, scene);
  return scene;
}

const types = "'image/jpeg', 'image/png', 'image/gif' or 'image/webp'";
const toDataUrl = (mediaType: string, base64: string) => `data:${mediaType};base64,${base64}`;
const createImage = (mediaType: string, data: string) => ({
  type: 'image',
  source: { type: 'base64', media_type: mediaType, data },
});
const wantsImage =
  "Expected a base64-encoded data URL with an image MIME type (e.g. 'data:image/png;base64,aW1nIGJ5dGVzIGhlcmU=')";
const wantsPdf =
  "Expected a base64-encoded data URL with an application/pdf MIME type (e.g. 'data:application/pdf;base64,aW1nIGJ5dGVzIGhlcmU=')";
const noImage =
  'The image data you provided does not represent a valid image. Please check your input and try again with one of the ' +
  "supported image formats: ['image/jpeg', 'image/png', 'image/gif', 'image/webp'].";

type Refusal = readonly [path: string, value: unknown, words: string];

const anthropic: readonly Refusal[] = [
  [
    'messages.0.content.0.source.media_type',
    'image/bmp',
    `messages.0.content.0.image.source.base64.media_type: Input should be ${types}`,
  ],
  [
    'messages.0.content.0.source.media_type',
    'image/jpeg',
    'messages.0.content.0.image.source.base64.data: Image does not match the provided media type image/jpeg',
  ],
  [
    'messages.0.content.0.source.data',
    `${PNG}=`,
    'messages.0.content.0.image.source.base64.data: Invalid base64 data',
  ],
  [
    'messages.0.content.1.source.media_type',
    'image/png',
    "messages.0.content.1.document.source.base64.media_type: Input should be 'application/pdf'",
  ],
  [
    'messages.0.content.1.source.data',
    PNG,
    'messages.0.content.1.document.source.base64.data: The PDF specified was not valid.',
  ],
  [
    'messages.0.content.0.source',
    { type: 'url', url: 'http://files.test/a.png' },
    'messages.0.content.0.image.source.url.url: Only HTTPS URLs are supported.',
  ],
  [
    'messages.0.content.0.source.name',
    'a.png',
    'messages.0.content.0.source.name: Extra inputs are not permitted',
  ],
  [
    'messages.0.content.0',
    { type: 'audio', source: { type: 'base64', media_type: 'audio/wav', data: WAV } },
    "messages.0.content.0: Input tag 'audio' found using 'type' does not match any of the expected tags: 'text', 'image', " +
      "'document', 'search_result', 'thinking', 'redacted_thinking', 'tool_use', 'tool_result', 'server_tool_use', " +
      "'web_search_tool_result', 'tool_addition', 'tool_removal'",
  ],
  [
    'messages.2.content.0.content.0.source.media_type',
    'image/tiff',
    `messages.2.content.0.tool_result.content.0.image.source.base64.media_type: Input should be ${types}`,
  ],
  [
    'messages.2.content.0.content.1.source.data',
    '',
    'messages.2.content.0.tool_result.content.1.document.source.base64.data: Invalid base64 data',
  ],
  [
    'messages.2.content.0.content.0',
    { type: 'tool_use', id: 'a', name: 'look', input: {} },
    "messages.2.content.0.content.0: Input tag 'tool_use' found using 'type' does not match any of the expected tags: " +
      "'text', 'image', 'document', 'search_result', 'tool_reference'",
  ],
  [
    'messages.1.content.1',
    createImage('image/png', PNG),
    'wire: messages.1.content.1: only a user sends a `image`',
  ],
];

const gemini: readonly Refusal[] = [
  ['contents.0.parts.0.inlineData.mimeType', 'image/gif', 'Unsupported MIME type: image/gif'],
  [
    'contents.0.parts.0.inlineData.data',
    'data:image/png;base64',
    "Invalid value at 'contents[0].parts[0].inline_data.data' (TYPE_BYTES), Base64 decoding failed for " +
      '"data:image/png;base64"',
  ],
  [
    'contents.0.parts.0.inlineData.data',
    WAV,
    'Unable to process input image. Please retry or report in https://ai.google.dev',
  ],
  ['contents.0.parts.1.inlineData.data', PNG, 'The document has no pages.'],
  [
    'contents.0.parts.0.inlineData.name',
    'a.png',
    'Invalid JSON payload received. Unknown name "name" at \'contents[0].parts[0].inlineData\': Cannot find field.',
  ],
  [
    'contents.0.parts.0.text',
    'And words.',
    "Invalid value at 'contents[0].parts[0]' (oneof), oneof field 'data' is already set. Cannot set 'inlineData'",
  ],
  [
    'contents.0.parts.0',
    { fileData: { mimeType: 'image/png', fileUri: 'file:///a.png' } },
    'wire: contents[0].parts[0]: `file:///a.png` is not the URL of a file',
  ],
  [
    'contents.0.parts.0',
    { fileData: { mimeType: 'image/heic', fileUri: 'https://files.test/a' } },
    'Unsupported MIME type: image/heic',
  ],
  [
    'contents.2.parts.0.functionResponse.parts.0.inlineData',
    { mimeType: 'audio/wav', data: WAV },
    'Unsupported MIME type: audio/wav',
  ],
  [
    'contents.2.parts.0.functionResponse.parts.0',
    {},
    "* contents[2].parts[0].function_response.parts[0].data: required oneof field 'data' must have one initialized field\n",
  ],
  [
    'contents.2.parts.0.functionResponse.parts.0',
    { fileData: { mimeType: 'image/png', fileUri: 'https://files.test/a' } },
    'Invalid JSON payload received. Unknown name "fileData" at ' +
      "'contents[2].parts[0].functionResponse.parts[0]': Cannot find field.",
  ],
];

const responses: readonly Refusal[] = [
  [
    'input.0.content.0',
    { type: 'input_audio', input_audio: { data: WAV, format: 'wav' } },
    "Invalid value: 'input_audio'. Supported values are: 'input_text', 'input_image', 'output_text', 'refusal', " +
      "'input_file', 'computer_screenshot', and 'summary_text'.",
  ],
  [
    'input.0.content.0.image_url',
    toDataUrl('image/bmp', PNG),
    `Invalid 'input[0].content[0].image_url'. ${wantsImage}, but got unsupported MIME type 'image/bmp'.`,
  ],
  [
    'input.0.content.0.image_url',
    toDataUrl('image/png', ''),
    `Invalid 'input[0].content[0].image_url'. ${wantsImage}, but got empty base64-encoded bytes.`,
  ],
  [
    'input.0.content.0.image_url',
    toDataUrl('image/png', `${PNG}A`),
    `Invalid 'input[0].content[0].image_url'. ${wantsImage}, but got an invalid base64-encoded value.`,
  ],
  ['input.0.content.0.image_url', toDataUrl('image/png', WAV), noImage],
  [
    'input.0.content.0.image_url',
    'http://files.test/a.png',
    "Invalid 'input[0].content[0].image_url'. Expected a valid URL, but got a value with an invalid format.",
  ],
  [
    'input.0.content.0.image_url',
    { url: 'https://files.test/a.png' },
    "Invalid type for 'input[0].content[0].image_url': expected a string, but got another type instead.",
  ],
  ['input.0.content.0.name', 'a.png', "Unknown parameter: 'input[0].content[0].name'."],
  ['input.0.content.1.filename', undefined, "Missing required parameter: 'input[0].content[1].filename'."],
  [
    'input.0.content.1.file_data',
    toDataUrl('audio/wav', WAV),
    `Invalid file data: 'input[0].content[1].file_data'. ${wantsPdf}, but got unsupported MIME type 'audio/wav'.`,
  ],
  [
    'input.0.content.1.file_url',
    'https://files.test/a.pdf',
    "Invalid 'input[0].content[1]'. Expected exactly one of 'file_data', 'file_url' and 'file_id', but got 2.",
  ],
  ['input.3.output.0.image_url', toDataUrl('image/png', WAV), noImage],
  [
    'input.3.output.1.file_data',
    toDataUrl('application/pdf', PNG),
    "The file 'paper.pdf' could not be read as a PDF.",
  ],
  [
    'input.3.output.0',
    { type: 'image_url', image_url: { url: toDataUrl('image/png', PNG) } },
    "Invalid value: 'image_url'. Supported values are: 'input_text', 'input_image', 'output_text', 'refusal', " +
      "'input_file', 'computer_screenshot', and 'summary_text'.",
  ],
];

const imageUrl = { type: 'image_url', image_url: { url: toDataUrl('image/png', PNG) } };

const kimi: readonly Refusal[] = [
  [
    'messages.2.content',
    [{ type: 'text', text: 'Seen.' }, imageUrl],
    "Invalid 'messages[2]'. Image URLs are only allowed for messages with role 'user', but this message with role " +
      "'tool' contains an image URL.",
  ],
  [
    'messages.2.content',
    [{ type: 'file', file: { filename: 'a.pdf', file_data: '' } }],
    "Invalid value: 'file'. Supported values are: 'text'.",
  ],
  [
    'messages.0.content.0',
    { type: 'input_image', image_url: toDataUrl('image/png', PNG) },
    "Invalid value: 'input_image'. Supported values are: 'text', 'image_url', 'input_audio', and 'file'.",
  ],
  [
    'messages.0.content.0.image_url.url',
    toDataUrl('image/png', '?'),
    `Invalid 'messages[0].content[0].image_url.url'. ${wantsImage}, but got an invalid base64-encoded value.`,
  ],
  [
    'messages.0.content.0.image_url',
    toDataUrl('image/png', PNG),
    "Missing required parameter: 'messages[0].content[0].image_url'.",
  ],
  [
    'messages.0.content.1.file.file_data',
    'https://files.test/a.pdf',
    `Invalid file data: 'messages[0].content[1].file.file_data'. ${wantsPdf}, but got unsupported MIME type ''.`,
  ],
  [
    'messages.0.content.1.file.mime',
    'application/pdf',
    "Unknown parameter: 'messages[0].content[1].file.mime'.",
  ],
  [
    'messages.0.content.2.input_audio.format',
    'ogg',
    "Invalid value: 'ogg'. Supported values are: 'wav' and 'mp3'.",
  ],
  [
    'messages.0.content.2.input_audio.data',
    toDataUrl('audio/wav', WAV),
    "Invalid 'messages[0].content[2].input_audio.data'. Expected base64-encoded audio.",
  ],
];

const deepseek: readonly Refusal[] = [
  [
    'messages.0.content.0',
    { type: 'file', file: { filename: 'a.pdf', file_data: '' } },
    "Invalid value: 'file'. Supported values are: 'text' and 'image_url'.",
  ],
  [
    'messages.2.content.0',
    { type: 'input_audio', input_audio: { data: WAV, format: 'wav' } },
    "Invalid value: 'input_audio'. Supported values are: 'text' and 'image_url'.",
  ],
];

it.each(
  (
    [
      ['anthropic-budget', anthropic],
      ['gemini', gemini],
      ['responses-unstored', responses],
      ['kimi', kimi],
      ['deepseek-sdk', deepseek],
    ] as const
  ).flatMap(([wire, refusals]) => refusals.map((one) => [wire, ...one] as const)),
)('%s refuses a changed value at %s (case %#)', async (wire, path, value, words) => {
  expect(await (await getScene(wire)).errorAfterChange(path, value)).toBe(`400: ${words}`);
});

it('the strict server of Gemini refuses files in function responses before Gemini 3', async () => {
  const { server } = await getScene('gemini');
  const body = JSON.stringify(server.requests[1]);
  const url = 'https://model.test/v1beta/models/gemini-2.5-pro:generateContent';
  const headers = { 'x-goog-api-key': 'key' };
  const answered = await server.handle(new Request(url, { method: 'POST', body, headers }));
  expect(await answered.json()).toMatchObject({
    error: {
      message:
        'wire: contents[2].parts[0]: function responses hold files from Gemini 3 on, and not for gemini-2.5-pro',
    },
  });
});
