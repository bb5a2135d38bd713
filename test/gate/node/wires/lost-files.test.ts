/** Tests that `npm run wires` detects errors that strict servers accept: a missing or misplaced file. */
import { describe, expect, it } from 'vitest';
import type { ChatModel } from '../../../../src/index.ts';
import type { MessagePart, ModelMessage } from '../../../../src/model/entry.ts';
import { hashFiles } from '../../../wires/files.ts';
import { SAMPLE_FILES } from '../../../wires/sample-files.ts';
import { SHOT_IMAGE, TINY_IMAGE } from '../../../wires/session/files.ts';
import { judge } from '../../../wires/session/judge.ts';
import type { WireName } from '../../../wires/session/servers.ts';
import { noStops } from '../../../wires/session/stops.ts';
import { playInMemory } from './play.ts';

const hashFile = async (base64: string): Promise<string> =>
  (await hashFiles([{ where: 'message', base64 }]))[0]?.sha256 ?? '';
const photo = `image/png ${await hashFile(SAMPLE_FILES['image/png'])}`;
const paper = `application/pdf ${await hashFile(SAMPLE_FILES['application/pdf'])}`;
const shotLine = `image/png ${await hashFile(SHOT_IMAGE)}`;
const tinyLine = `image/png ${await hashFile(TINY_IMAGE)}`;
const postedPlace = 'in a message behind 0 replies and 0 results';

type MessageChange = (messages: readonly ModelMessage[]) => readonly ModelMessage[];

/** Returns the lost items of a session whose models receive changed messages that the servers accept. */
async function findLost(wire: WireName, spoil: MessageChange): Promise<readonly string[]> {
  const wrapModel = (model: ChatModel): ChatModel => ({
    ...model,
    ask: ({ messages, ...request }, options) => model.ask({ ...request, messages: spoil(messages) }, options),
  });
  const { verdict } = await playInMemory({ wire, isWatched: false, stops: noStops, around: wrapModel });
  expect([verdict.refused, verdict.miscounted]).toEqual([[], []]);
  return verdict.lost;
}

/** Changes the parts of each message that has files. */
const changeParts =
  (change: (parts: readonly MessagePart[]) => readonly MessagePart[]): MessageChange =>
  (messages) =>
    messages.map((one) =>
      'parts' in one && isShown(one) ? { ...one, parts: change(one.parts ?? []) } : one,
    );

const isShown = (
  message: ModelMessage,
): message is Extract<ModelMessage, { readonly role: 'user' | 'tool' }> =>
  (message.role === 'user' || message.role === 'tool') && message.parts !== undefined;

const isFile = ({ type }: MessagePart): boolean => type === 'file';

const swapFiles = changeParts((parts) => {
  const files = parts.filter(isFile).toReversed().values();
  return parts.map((part) => (isFile(part) ? (files.next().value ?? part) : part));
});

/** Removes the first message's files from the second turn on. */
const dropFirstTurn: MessageChange = (messages) => {
  const [at, second] = ['Begin.', 'Go on.'].map((text) =>
    messages.findIndex((one) => one.role === 'user' && one.text.startsWith(text)),
  );
  const said = messages[at ?? -1];
  if (said?.role !== 'user' || second === -1) return messages;
  return messages.with(messages.indexOf(said), { ...said, parts: undefined });
};

/** Moves the first result's files to the next result. */
const moveResult: MessageChange = (messages) => {
  const at = messages.findIndex((one) => one.role === 'tool' && isShown(one));
  const [one, next] = [messages[at], messages[at + 1]];
  if (one?.role !== 'tool' || next?.role !== 'tool') return messages;
  return messages.with(at, { ...one, parts: undefined }).with(at + 1, { ...next, parts: one.parts });
};

const filesAsText = changeParts((parts) =>
  parts.map((part) => (part.type === 'file' ? { type: 'text', text: part.data } : part)),
);

const dropFileNames = changeParts((parts) =>
  parts.map((part) => (part.type === 'text' ? { ...part, text: part.text.replace('[file ', '[') } : part)),
);

const inResults = ['gemini', 'anthropic-budget', 'responses-stored', 'openrouter-sdk'] as const;
const isInResults = (wire: WireName): boolean => inResults.some((one) => one === wire);

describe.each(['gemini', 'anthropic-budget', 'responses-stored', 'kimi'] as const)(
  'a run over %s',
  (wire) => {
    it('reports that posted files are missing from the second turn on', async () => {
      const [lost] = await findLost(wire, dropFirstTurn);
      const where = isInResults(wire) ? 'result behind 1 replies and 1' : 'message behind 1 replies and 2';
      expect(lost).toBe(
        `files of request 12 of main, at 1: ${shotLine} in a ${where} results instead of ${photo} ${postedPlace}`,
      );
    });

    it('reports that files were swapped', async () => {
      const [lost] = await findLost(wire, swapFiles);
      expect(lost).toBe(
        `files of request 1 of main, at 1: ${paper} ${postedPlace} instead of ${photo} ${postedPlace}`,
      );
    });

    it('reports that a file was sent as base64 text', async () => {
      const [lost, ...more] = await findLost(wire, filesAsText);
      expect(lost).toBe(`files of request 1 of main, at 1: nothing instead of ${photo} ${postedPlace}`);
      expect(more.slice(0, 2)).toEqual([
        'files of request 1 of main: bytes of image/png stand there 1 times instead of 0',
        'files of request 1 of main: bytes of application/pdf stand there 1 times instead of 0',
      ]);
    });

    it('reports that a file has no name in the text for the model', async () => {
      const id = photo.split(' ')[1];
      expect((await findLost(wire, dropFileNames))[0]).toBe(`files of request 1 of main: ${id} is not named`);
    });
  },
);

it.each(inResults)('a run over %s reports an image in the wrong result', async (wire) => {
  const [lost] = await findLost(wire, moveResult);
  const formatPlace = (results: number): string =>
    `${shotLine} in a result behind 1 replies and ${results} results`;
  expect(lost).toBe(`files of request 2 of main, at 3: ${formatPlace(2)} instead of ${formatPlace(1)}`);
});

it('a run over kimi reports images that follow the results of a batch in another order', async () => {
  const [lost] = await findLost('kimi', (messages) =>
    messages.map((one) =>
      one.text.startsWith('Files of the results above:') ? (swapFiles([one])[0] ?? one) : one,
    ),
  );
  const where = 'in a message behind 3 replies and 7 results';
  expect(lost).toBe(`files of request 4 of main, at 4: ${shotLine} ${where} instead of ${tinyLine} ${where}`);
});

it('a run reports a file in the request of a loop without files, and bytes in a journal', async () => {
  const { played } = await playInMemory({ wire: 'kimi', isWatched: false, stops: noStops });
  const { main, research } = played.servers;
  const requests = [main.requests[0], ...research.requests.slice(1)];
  const servers = { ...played.servers, research: { ...research, requests } };
  expect((await judge({ ...played, servers })).lost[0]).toBe(
    `files of request 1 of research, at 1: ${photo} ${postedPlace} instead of nothing`,
  );
  const events = played.events.map((event) =>
    event.type === 'turn-started' ? { ...event, context: { bytes: SHOT_IMAGE } } : event,
  );
  expect((await judge({ ...played, events })).lost).toEqual([
    'files of the journal: bytes of image/png stand there 2 times instead of 0',
  ]);
});
