import type { ResultData } from '../../../../tool/tool-result.ts';
import { JsonView } from '../ui/json.tsx';
import { Badge } from '../ui/parts.tsx';
import { Words } from '../ui/words.tsx';

export function ResultPart({ result }: { readonly result: ResultData }) {
  if (result.type === 'error')
    return (
      <>
        <Badge tone="bad">{result.reason ?? 'error'}</Badge>
        <Words text={result.message} />
      </>
    );
  return (
    <>
      {result.type === 'artifact' && <Badge>{result.artifactType ?? 'artifact'}</Badge>}
      {'withheld' in result && result.withheld && <Badge tone="warn">withheld</Badge>}
      {'content' in result && result.content !== undefined && <Words text={result.content} />}
      {result.type === 'artifact' && <JsonView value={result.value} />}
      {'parts' in result && <JsonView value={result.parts} />}
    </>
  );
}
