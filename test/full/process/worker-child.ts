/**
 * Runs a Worker in a process that can be killed. `node worker-child.ts ENTRY SETTINGS` reports its URL to its
 * parent.
 */
import { startWorker } from './start-worker.ts';

const [entry = '', settings = '{}'] = process.argv.slice(2);
const worker = await startWorker(entry, JSON.parse(settings));
process.send?.(worker.url.href);
