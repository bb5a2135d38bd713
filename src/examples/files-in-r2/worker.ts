import { ConfigurationError, createHoldfast } from '../../create-holdfast.ts';
import { defineAgent } from '../../index.ts';
import { openaiCompatible } from '../../model/openai-compatible/entry.ts';
import { type FileStore, files } from '../../modules/files/entry.ts';
import { createR2Files } from './r2-files.ts';

/** The bindings in wrangler.toml: [[r2_buckets]] with binding = "FILES". */
interface Bindings {
  readonly FILES?: R2Bucket;
}

const reader = defineAgent({
  name: 'reader',
  description: 'Reads what it is sent.',
  instructions: 'Say what is in the files.',
});

function store({ FILES }: Bindings): FileStore {
  if (!FILES) throw new ConfigurationError('This Worker has no R2 bucket FILES. Bind one in wrangler.toml.');
  return createR2Files(FILES);
}

const holdfast = createHoldfast({
  agents: [reader],
  model: openaiCompatible(),
  use: [files({ store })],
});
export default holdfast.worker;
export const { TurnRunner } = holdfast;
export { SessionObject } from '../../../durable-objects/index.ts';
