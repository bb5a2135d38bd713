/** The files of the sessions in `npm run wires`: the files in user messages, and those that tools return. */
import type { ModelMedia } from '../../../src/model/entry.ts';
import { SAMPLE_FILES } from '../sample-files.ts';

/** A file before its session stores it. */
export interface NewSample {
  readonly mediaType: string;
  readonly name: string;
  readonly base64: string;
}

/** A message of the user. */
export interface SaidMessage {
  readonly text: string;
  /** The files after the text. */
  readonly files: readonly NewSample[];
}

/** The image that a tool of the agent returns. It differs from all posted images. */
export const SHOT_IMAGE =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGM4IScHAAK2AQU0pnWqAAAAAElFTkSuQmCC';

/** The image that a fake MCP server returns in tests. */
export const TINY_IMAGE =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGOQkzsBAAFiAQURG6MhAAAAAElFTkSuQmCC';

/** The files of each message, if the model accepts them. */
const POSTED_SAMPLES: readonly (readonly NewSample[])[] = [
  [
    { mediaType: 'image/png', name: 'photo.png', base64: SAMPLE_FILES['image/png'] },
    { mediaType: 'application/pdf', name: 'paper.pdf', base64: SAMPLE_FILES['application/pdf'] },
  ],
  [
    {
      mediaType: 'image/png',
      name: 'second.png',
      base64: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGOQOyEHAAIMAQUtuDZBAAAAAElFTkSuQmCC',
    },
  ],
];

/** Returns the files in the message of a turn, for a model that accepts these types. */
export const getPostedSamples = (turn: number, { message }: ModelMedia): readonly NewSample[] =>
  (POSTED_SAMPLES[turn] ?? []).filter(({ mediaType }) => message.data.includes(mediaType));

export const decodeBase64 = (base64: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
