/**
 * The scripts of the models in `npm run wires`: a turn of ten replies with calls, and a turn of four. The tools
 * include a playbook, a state machine and unfolding tools. The nested loops of the playbook and the state
 * machine have their own models. One tool and one MCP tool return images.
 */
import type { Script, ScriptCall, ScriptStep } from '../wire.ts';

/** The loops of a session: the main loop, and the nested loops of its playbook and its state machine. */
export const LOOPS = ['main', 'research', 'order'] as const;
export type LoopName = (typeof LOOPS)[number];

/** The user's message of each turn. */
export const MESSAGES: readonly string[] = ['Begin.', 'Go on.'];

const createCall = (name: string, input: ScriptCall['input'] = {}): ScriptCall => ({ name, input });
const createLookCall = (page: number) => createCall('look', { page, words: ['a b', 'ü"\\'] });
const createShotCall = (at: number) => createCall('shot', { at });
const createSaveCall = (text: string) => createCall('save', { text });
const createPayCall = (amount: number) => createCall('pay', { amount });
const createReadFileCall = (path: string) => createCall('read_file', { path });
const createWriteFileCall = (path: string) => createCall('write_file', { path, text: `Of ${path}.` });

const createTextStep = (text: string, ...calls: ScriptCall[]): ScriptStep => ({ calls, text });
const createCallStep = (...calls: ScriptCall[]): ScriptStep => ({ calls });

const main: Script = {
  turns: [
    {
      steps: [
        createTextStep('I look around first.', createShotCall(1), createLookCall(1)),
        createCallStep(createCall('files'), createCall('pictures')),
        createCallStep(createCall('get-tiny-image'), createReadFileCall('a.txt'), createShotCall(2)),
        createTextStep('Now something is done.', createSaveCall('one'), createPayCall(10)),
        createCallStep(createCall('research', { topic: 'kelp' })),
        createCallStep(createWriteFileCall('a.txt'), createWriteFileCall('b.txt')),
        createCallStep(createCall('order', { id: 41 }), createLookCall(5)),
        createCallStep(createSaveCall('two'), createLookCall(6), createReadFileCall('b.txt')),
        createTextStep('One more payment.', createPayCall(20)),
        createCallStep(createLookCall(7), createReadFileCall('a.txt')),
      ],
      answer: 'All ten steps are done.',
    },
    {
      steps: [
        createCallStep(createShotCall(3), createCall('files')),
        createTextStep('Once more.', createReadFileCall('c.txt'), createSaveCall('three')),
        createCallStep(createCall('order', { id: 42 }), createCall('research', { topic: 'tides' })),
        createCallStep(createPayCall(30), createLookCall(9)),
      ],
      answer: 'And four more are done.',
    },
  ],
};

const research: Script = {
  turns: [
    {
      steps: [
        createCallStep(createCall('search', { query: 'one' }), createCall('search', { query: 'two' })),
        createTextStep('Enough was found.', createCall('analyze', { text: 'found' })),
        createCallStep(createCall('report', { text: 'analyzed' })),
      ],
      answer: 'It was researched.',
    },
  ],
};

const order: Script = {
  turns: [
    {
      steps: [
        createCallStep(createCall('add', { item: 'lamp' }), createCall('status')),
        createCallStep(createCall('confirm')),
        createTextStep('It can be shipped.', createCall('ship')),
      ],
      answer: 'It was shipped.',
    },
  ],
};

/** The script of each loop. The script of a nested loop restarts on each call. */
export const SCRIPTS: Readonly<Record<LoopName, Script>> = { main, research, order };
