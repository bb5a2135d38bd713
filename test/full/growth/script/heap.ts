/** What the isolate of a Worker holds, asked from outside. */
import { openInspector } from '../../../bench/inspector.ts';

/** What answers how many bytes an isolate holds: objects, strings, and what buffers have outside of the heap; garbage with it. */
export interface HeapReader {
  read(): Promise<number>;
  close(): void;
}

/** What the protocol says of a heap. */
interface Usage {
  readonly usedSize: number;
  readonly backingStorageSize: number;
}

/** Asks the inspector of a Worker's process. @throws Error when it does not know the Worker. */
export async function readHeapOf(worker: string, url: URL): Promise<HeapReader> {
  const inspector = await openInspector(worker, url);
  return {
    async read() {
      const { usedSize, backingStorageSize } = (await inspector.ask('Runtime.getHeapUsage')) as Usage;
      return usedSize + backingStorageSize;
    },
    close: inspector.close,
  };
}
