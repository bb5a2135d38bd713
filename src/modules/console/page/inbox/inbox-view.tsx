import { Empty } from '../ui/parts.tsx';

export function InboxView() {
  return <Empty title="Nothing here yet" />;
}
