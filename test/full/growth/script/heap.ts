/** Measures the memory of a Worker's isolate from outside. */
import { openInspector } from '../../../bench/inspector.ts';

/** Returns the bytes that an isolate holds: objects, strings, and external buffers, including garbage. */
export interface HeapReader {
  read(): Promise<number>;
  close(): void;
}

/** The heap usage in the protocol's format. */
interface Usage {
  readonly usedSize: number;
  readonly backingStorageSize: number;
}

/** Connects to the inspector of a Worker's process. @throws Error if it does not list the Worker. */
export async function openHeapReader(worker: string, url: URL): Promise<HeapReader> {
  const inspector = await openInspector(worker, url);
  return {
    async read() {
      const { usedSize, backingStorageSize } = (await inspector.ask('Runtime.getHeapUsage')) as Usage;
      return usedSize + backingStorageSize;
    },
    close: inspector.close,
  };
}
