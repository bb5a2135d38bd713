import { Empty } from '../ui/parts.tsx';

export function SessionsView() {
  return <Empty title="Nothing here yet" />;
}
