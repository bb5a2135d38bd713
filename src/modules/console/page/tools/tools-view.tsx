import type { SessionViewProps } from '../shell/session-frame.tsx';
import { Empty } from '../ui/parts.tsx';

export function ToolsView(_: SessionViewProps) {
  return <Empty title="Nothing here yet" />;
}
