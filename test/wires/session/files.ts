/** The files of a session of `npm run wires`: what its user posts turn by turn, and what its tools answer. */
import type { ModelMedia } from '../../../src/model/entry.ts';
import { SAMPLES } from '../sample-files.ts';

/** A file before its session keeps it. */
export interface NewSample {
  readonly mediaType: string;
  readonly name: string;
  readonly base64: string;
}

/** A message of the user's. */
export interface Said {
  readonly text: string;
  /** They stand behind the text. */
  readonly files: readonly NewSample[];
}

/** What a tool of the agent answers; the image is another one than each that is posted. */
export const SHOT =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGM4IScHAAK2AQU0pnWqAAAAAElFTkSuQmCC';

/** What an MCP server of the tests answers in the place of the real one. */
export const TINY_IMAGE =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGOQkzsBAAFiAQURG6MhAAAAAElFTkSuQmCC';

/** What is posted with each message where the model takes it. */
const POSTED: readonly (readonly NewSample[])[] = [
  [
    { mediaType: 'image/png', name: 'photo.png', base64: SAMPLES['image/png'] },
    { mediaType: 'application/pdf', name: 'paper.pdf', base64: SAMPLES['application/pdf'] },
  ],
  [
    {
      mediaType: 'image/png',
      name: 'second.png',
      base64: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGOQOyEHAAIMAQUtuDZBAAAAAElFTkSuQmCC',
    },
  ],
];

/** The files that are posted with the message of a turn to a model that takes these. */
export const postedIn = (turn: number, { message }: ModelMedia): readonly NewSample[] =>
  (POSTED[turn] ?? []).filter(({ mediaType }) => message.data.includes(mediaType));

export const bytesOf = (base64: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
