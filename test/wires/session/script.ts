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

const call = (name: string, input: ScriptCall['input'] = {}): ScriptCall => ({ name, input });
const look = (page: number) => call('look', { page, words: ['a b', 'ü"\\'] });
const createShotCall = (at: number) => call('shot', { at });
const saveCall = (text: string) => call('save', { text });
const payCall = (amount: number) => call('pay', { amount });
const readFile = (path: string) => call('read_file', { path });
const writeFile = (path: string) => call('write_file', { path, text: `Of ${path}.` });

const createTextStep = (text: string, ...calls: ScriptCall[]): ScriptStep => ({ calls, text });
const callStep = (...calls: ScriptCall[]): ScriptStep => ({ calls });

const main: Script = {
  turns: [
    {
      steps: [
        createTextStep('I look around first.', createShotCall(1), look(1)),
        callStep(call('files'), call('pictures')),
        callStep(call('get-tiny-image'), readFile('a.txt'), createShotCall(2)),
        createTextStep('Now something is done.', saveCall('one'), payCall(10)),
        callStep(call('research', { topic: 'kelp' })),
        callStep(writeFile('a.txt'), writeFile('b.txt')),
        callStep(call('order', { id: 41 }), look(5)),
        callStep(saveCall('two'), look(6), readFile('b.txt')),
        createTextStep('One more payment.', payCall(20)),
        callStep(look(7), readFile('a.txt')),
      ],
      answer: 'All ten steps are done.',
    },
    {
      steps: [
        callStep(createShotCall(3), call('files')),
        createTextStep('Once more.', readFile('c.txt'), saveCall('three')),
        callStep(call('order', { id: 42 }), call('research', { topic: 'tides' })),
        callStep(payCall(30), look(9)),
      ],
      answer: 'And four more are done.',
    },
  ],
};

const research: Script = {
  turns: [
    {
      steps: [
        callStep(call('search', { query: 'one' }), call('search', { query: 'two' })),
        createTextStep('Enough was found.', call('analyze', { text: 'found' })),
        callStep(call('report', { text: 'analyzed' })),
      ],
      answer: 'It was researched.',
    },
  ],
};

const order: Script = {
  turns: [
    {
      steps: [
        callStep(call('add', { item: 'lamp' }), call('status')),
        callStep(call('confirm')),
        createTextStep('It can be shipped.', call('ship')),
      ],
      answer: 'It was shipped.',
    },
  ],
};

/** The script of each loop. The script of a nested loop restarts on each call. */
export const SCRIPTS: Readonly<Record<LoopName, Script>> = { main, research, order };
