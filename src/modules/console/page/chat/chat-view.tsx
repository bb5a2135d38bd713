import type { SessionViewProps } from '../data/session-store.ts';
import { Empty } from '../ui/parts.tsx';

export function ChatView(_: SessionViewProps) {
  return <Empty title="Nothing here yet" />;
}
